#include "job/why/reader.h"

#include <algorithm>
#include <set>

#include "job/capacity/brief_workloads.h"
#include "job/capacity/kueue_api.h"
#include "job/capacity/volcano_api.h"
#include "job/why/causes.h"
#include "job/why/queue.h"
#include "kml/job/capacity/workloads.h"
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

std::optional<Json> Reader::get(const std::string& what, const api::ResourceKind& kind,
                                const std::string& namespace_name, const std::string& name) {
  if (requests_ >= most_) return {};
  ++requests_;
  try {
    return client_.get_if_exists(kind, namespace_name, name);
  } catch (const Error& error) {
    remember(what, error);
    return {};
  }
}

bool Reader::each_workload(const std::string& what, const api::ResourceKind& kind,
                           const std::string& namespace_name, const std::function<void(Json)>& take) {
  if (requests_ >= most_) return false;
  ++requests_;
  const std::optional<Error> error = job::each_workload(client_, kind, namespace_name, take);
  if (error) remember(what, *error);
  return !error;
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

/// Keeps the job's own Workload, the Workloads that hold quota, and the one that preempts the job. Of the
/// Workloads that wait before the job's, keeps for each LocalQueue one that may be admitted and one that can
/// never be admitted. For each other LocalQueue, keeps one that may be admitted even if it waits behind the
/// job's. Of the rest, only counts those in the job's LocalQueue.
class KeptWorkloads {
 public:
  KeptWorkloads(const Json& job, const std::vector<Json>& own) {
    for (const Json& workload : own)
      if (const Json* owner = api::controller_of(workload);
          owner && api::entry_uid(*owner) == api::uid_of(job) &&
          (own_.is_null() || api::condition_is_true(own_, "Finished")))
        own_ = workload;
    told_ = array_at(own_, {"status", "conditions"}).dump();
  }

  /// Whether the explanation depends on other Workloads.
  bool needs_others() const { return !own_.is_null() && waits_for_quota(own_); }

  /// A Workload may be passed twice, if its list was interrupted.
  void take(Json workload) {
    if (!seen_.insert(api::uid_of(workload)).second) return;
    if (api::uid_of(workload) == api::uid_of(own_)) return kept_.push_back(std::move(workload));
    const bool waits = waits_for_quota(workload);
    if (waits && told_.find(api::uid_of(workload)) == std::string::npos) {
      const bool is_behind = is_before_in_queue(own_, workload);
      const std::string place = place_of(workload);
      const bool is_first =
          !is_behind && (may_be_admitted(workload) ? places_ : blocked_).insert(place).second;
      const bool is_rival =
          place != place_of(own_) && may_be_admitted(workload) && rivals_.insert(place).second;
      if (!is_first && !is_rival) {
        if (place == place_of(own_)) ++(is_behind ? behind_ : before_);
        return;
      }
    }
    if (!waits && object_at(workload, {"status", "admission"}).empty()) return;
    keep_place(workload);
    kept_.push_back(std::move(workload));
  }

  void give_to(Facts& facts) {
    facts.workloads = std::move(kept_);
    facts.waiting_before = before_;
    facts.waiting_behind = behind_;
  }

 private:
  static std::string place_of(const Json& workload) {
    return api::namespace_of(workload) + "/" + queue_name_of(workload);
  }

  Json own_;
  std::string told_;              ///< Kueue's texts about the job's Workload, which may name the preemptor
  std::set<std::string> places_;  ///< LocalQueues for which a Workload ahead of the job's own is already kept
  std::set<std::string> blocked_;  ///< the same for Workloads that can never be admitted
  std::set<std::string> rivals_;   ///< other LocalQueues of which a Workload that may be admitted is kept
  std::set<std::string> seen_;     ///< uids
  std::vector<Json> kept_;
  size_t before_ = 0, behind_ = 0;
};

/// Reads the other Workloads that affect the explanation of the job's own one.
void read_others(Reader& reader, const api::ResourceKind& kind, Facts& facts) {
  KeptWorkloads all(facts.job, *facts.workloads), near = all;
  if (!all.needs_others()) return;
  // Reads all namespaces, because their workloads use the same queue's quota.
  facts.sees_all_workloads = reader.each_workload("Kueue's workloads of all namespaces", kind, "",
                                                  [&](Json workload) { all.take(std::move(workload)); });
  if (facts.sees_all_workloads)
    all.give_to(facts);
  else if (reader.each_workload("Kueue's workloads", kind, api::namespace_of(facts.job),
                                [&](Json workload) { near.take(std::move(workload)); }))
    near.give_to(facts);
}

/// Reads the ClusterQueues that share quota with the job's.
void read_cohort(Reader& reader, const api::ResourceKind& cluster_queues, Facts& facts) {
  const std::string cohort = cohort_of(*facts.cluster_queue);
  const Json* own = workload_of(facts);
  if (cohort.empty() || !own || !waits_for_quota(*own)) return;
  reader.allow(1);
  facts.cohort = reader.list("the other queues of cohort " + cohort, cluster_queues, "");
  if (facts.cohort)
    std::erase_if(*facts.cohort, [&](const Json& queue) { return cohort_of(queue) != cohort; });
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
  facts.workloads =
      reader.list("Kueue's workloads", workloads, where, "", kJobUidLabel + ("=" + api::uid_of(facts.job)));
  facts.sees_all_workloads = false;
  if (facts.workloads) read_others(reader, workloads, facts);
  const api::ResourceKind local_queues = kind("LocalQueue", "localqueues", "localqueue", true);
  if (facts.sees_all_workloads) facts.local_queues = reader.list("Kueue's queues", local_queues, "");
  facts.local_queue = reader.get_if_allowed(local_queues, where, api::label_of(facts.job, api::kKueueQueue));
  const std::string cluster_queue = facts.local_queue ? cluster_queue_of(*facts.local_queue) : "";
  if (cluster_queue.empty()) return;
  const api::ResourceKind cluster_queues = kind("ClusterQueue", "clusterqueues", "clusterqueue", false);
  facts.cluster_queue =
      reader.get("ClusterQueue " + cluster_queue + " and its cohort", cluster_queues, "", cluster_queue);
  if (facts.cluster_queue && facts.sees_all_workloads) read_cohort(reader, cluster_queues, facts);
}

void read_volcano(Reader& reader, Facts& facts) {
  // Lists the PodGroups of all namespaces, because they share the queue.
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
