#include "job/why/reader.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <string_view>

#include "job/capacity/kueue_api.h"
#include "job/capacity/volcano_api.h"
#include "job/why/causes.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/list/brief_list.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"

namespace kml::job {

void Reader::remember(const std::string& what, const Error& error) {
  if (error.http_status == 404) return;
  const std::string text = what + ": you may not read them";
  if (error.http_status != 403) throw error;
  if (std::find(unknown.begin(), unknown.end(), text) == unknown.end()) unknown.push_back(text);
}

Reader::Objects Reader::list(const std::string& what, const api::ResourceKind& kind,
                             const std::string& namespace_name, const std::string& field_selector,
                             const std::string& label_selector) {
  return list(what, kind, namespace_name, {label_selector, field_selector});
}

Reader::Objects Reader::list(const std::string& what, const api::ResourceKind& kind,
                             const std::string& namespace_name, const kube::ListOptions& options) {
  if (requests_ >= most_) return {};
  ++requests_;
  try {
    return client_.list(kind, namespace_name, options).items;
  } catch (const Error& error) {
    remember(what, error);
    return {};
  }
}

Reader::Objects Reader::list_briefly(const std::string& what, const api::ResourceKind& kind,
                                     const std::string& namespace_name) {
  if (requests_ >= most_) return {};
  ++requests_;
  const kube::BriefQuery query{&kind, namespace_name, "", kube::Detail::queue};
  kube::BriefList list = std::move(kube::list_briefly(client_, {&query, 1})[0]);
  if (!list.error) return std::move(list.items);
  remember(what, *list.error);
  return {};
}

std::optional<Json> Reader::get_if_allowed(const api::ResourceKind& kind, const std::string& namespace_name,
                                           const std::string& name) {
  if (requests_ >= most_) return {};
  ++requests_;
  try {
    return client_.get_if_exists(kind, namespace_name, name);
  } catch (const Error& error) {
    if (error.http_status != 403 && error.http_status != 404) throw;
    return {};
  }
}

std::optional<Json> Reader::get_raw_if_there(const std::string& path) {
  ++requests_;
  try {
    return parse_json(client_.get_raw(path), path);
  } catch (const Error& error) {
    if (error.http_status != 403 && error.http_status != 404) throw;
    return {};
  }
}

namespace {

/// What the requests of a container depend on.
constexpr std::array<std::string_view, 3> kOfContainer = {"name", "resources", "restartPolicy"};
/// The parts of a PodSpec that affect its place in a queue.
constexpr std::array<std::string_view, 7> kOfPod = {"containers", "initContainers", "resources",  "overhead",
                                                    "affinity",   "nodeSelector",   "tolerations"};

void keep_only(std::span<const std::string_view> kept, Json& object) {
  for (auto member = object.begin(); member != object.end();)
    member = std::find(kept.begin(), kept.end(), member.key()) == kept.end() ? object.erase(member)
                                                                             : std::next(member);
}

/// Removes what no cause depends on: a queue may hold thousands of Workloads, with long lists of variables.
void shorten_workload(Json& workload) {
  for (const char* part : {"managedFields", "annotations"}) workload["metadata"].erase(part);
  if (!find(workload, {"spec", "podSets"})) return;
  for (Json& set : workload["spec"]["podSets"]) {
    if (!find(set, {"template", "spec"})) continue;
    Json& pod = set["template"]["spec"];
    set["template"].erase("metadata");
    keep_only(kOfPod, pod);
    for (const char* containers : {"containers", "initContainers"})
      if (pod.contains(containers))
        for (Json& container : pod[containers]) keep_only(kOfContainer, container);
  }
}

}  // namespace

int requests_to_find(const Json& job) {
  const auto kinds = job_kinds();
  const auto place = std::find(kinds.begin(), kinds.end(), api::kind_of(job)) - kinds.begin();
  return std::max(static_cast<int>(place) + 1, 2);
}

void read_queue(Reader& reader, Facts& facts) {
  // Kueue 0.15 and later serve v1beta2; earlier versions serve v1beta1.
  const std::optional<Json> group = reader.get_raw_if_there("/apis/kueue.x-k8s.io");
  facts.has_kueue = group.has_value();
  if (!group) return;
  const std::string version = string_at(*group, {"preferredVersion", "version"}, "v1beta1");
  const auto kind = [&](const char* name, const char* plural, const char* singular, bool namespaced) {
    return api::ResourceKind{"kueue.x-k8s.io", version, name, plural, singular, "", namespaced};
  };
  const std::string where = api::namespace_of(facts.job);
  const api::ResourceKind workloads = kind("Workload", "workloads", "workload", true);
  // Reads all namespaces, because their workloads use the same queue's quota.
  const kube::ListOptions shortened{.shorten = shorten_workload};
  facts.workloads = reader.list("Kueue's workloads of all namespaces", workloads, "", shortened);
  facts.sees_all_workloads = facts.workloads.has_value();
  if (!facts.workloads) facts.workloads = reader.list("Kueue's workloads", workloads, where, shortened);
  const api::ResourceKind local_queues = kind("LocalQueue", "localqueues", "localqueue", true);
  if (facts.sees_all_workloads) facts.local_queues = reader.list("Kueue's queues", local_queues, "");
  facts.local_queue = reader.get_if_allowed(local_queues, where, api::label_of(facts.job, api::kKueueQueue));
  const std::string cluster_queue = facts.local_queue ? cluster_queue_of(*facts.local_queue) : "";
  if (!cluster_queue.empty())
    facts.cluster_queue = reader.get_if_allowed(kind("ClusterQueue", "clusterqueues", "clusterqueue", false),
                                                "", cluster_queue);
}

void read_volcano(Reader& reader, Facts& facts) {
  // All namespaces, because their groups share the queue.
  facts.pod_groups = reader.list("Volcano's pod groups of all namespaces", kVolcanoPodGroup, "");
  if (!facts.pod_groups)
    facts.pod_groups = reader.list("Volcano's pod groups", kVolcanoPodGroup, api::namespace_of(facts.job));
  const std::string own = volcano_queue_of(facts);
  if (own.empty()) return;
  const Reader::Objects queues = reader.list("Volcano's queues", kVolcanoQueue, "");
  if (!queues) return;
  const auto found = std::find_if(queues->begin(), queues->end(),
                                  [&](const Json& queue) { return api::name_of(queue) == own; });
  facts.volcano_queue_is_missing = found == queues->end();
  if (found != queues->end()) facts.volcano_queue = *found;
}

}  // namespace kml::job
