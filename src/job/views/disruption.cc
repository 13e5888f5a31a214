#include "kml/job/views/disruption.h"

#include "kml/base/error.h"
#include "kml/base/json_fields.h"
#include "kml/job/views/ownership.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::job {

namespace {

/// The embedded server's reason for a pod whose supervising process was killed.
constexpr std::string_view kSupervisorLost = "SupervisorLost";

}  // namespace

std::optional<Disruption> disruption_of(const Json& pod) {
  const api::Condition target = api::condition(pod, "DisruptionTarget");
  if (!target.is_true()) return {};
  return Disruption{api::name_of(pod),
                    api::uid_of(pod),
                    api::node_of(pod),
                    api::started_at(pod),
                    target.since().value_or(Time()),
                    target.reason(),
                    api::annotation_of(pod, api::kPreemptedBy),
                    api::status_message(pod)};
}

std::string disruption_in_words(const std::string& reason) {
  return reason == "TerminationByKubelet"
             ? "the node stopped the pod (short of memory or disk, or shutting down)"
         : reason == "DeletionByTaintManager" ? "the node got a taint that the pod does not tolerate"
         : reason == "EvictionByEvictionAPI"  ? "the pod was evicted, for example by a drain of the node"
         : reason == "DeletionByPodGC"        ? "its node was removed"
         : reason == kSupervisorLost          ? "kml's process for this pod was killed"
                                              : reason;
}

std::string in_words(const Disruption& disruption) {
  if (disruption.told == disruption_in_words(std::string(kSupervisorLost))) return disruption.told;
  if (disruption.reason != kPreempted)
    return "stopped by the cluster: " +
           (disruption.told.empty() ? disruption_in_words(disruption.reason) : disruption.told);
  return disruption.by.empty() ? "preempted by an unknown job" : "preempted by " + disruption.by;
}

namespace {

/// The preemptor according to an event. Since Kubernetes 1.36, only the event's message names the preemptor,
/// by its pod's UID.
Json preemptor_in(const Json& event) {
  if (const Json* related = find(event, {"related"})) return *related;
  constexpr std::string_view kBy = "Preempted by pod ", kOn = " on node ";
  const std::string message = api::message_of(event);
  const size_t on = message.find(kOn);
  if (!message.starts_with(kBy) || on == std::string::npos) return nullptr;
  const std::string node = message.substr(on + kOn.size());
  return {{"kind", "Pod"},
          {"uid", message.substr(kBy.size(), on - kBy.size())},
          {"node", node.substr(0, node.find(' '))}};
}

/// The pods with this field in all namespaces; in one namespace if the user may not list all.
std::vector<Json> pods_by_field(kube::Client& client, const std::string& namespace_name,
                                const std::string& field) try {
  return client.list(*api::find_kind("v1", "Pod"), "", {"", field}).items;
} catch (const Error& error) {
  if (error.http_status != 403) throw;
  return client.list(*api::find_kind("v1", "Pod"), namespace_name, {"", field}).items;
}

std::optional<Json> find_preemptor(kube::Client& client, const std::string& namespace_name,
                                   const Json& preemptor) try {
  if (const std::string name = api::entry_name(preemptor); !name.empty())
    return client.get_if_exists(*api::find_kind("v1", "Pod"), string_at(preemptor, {"namespace"}), name);
  for (const std::string field : {"spec.nodeName=", "status.nominatedNodeName="})
    for (Json& pod : pods_by_field(client, namespace_name, field + string_at(preemptor, {"node"})))
      if (api::uid_of(pod) == api::entry_uid(preemptor)) return std::move(pod);
  return {};
} catch (const Error& error) {
  if (error.http_status != 403) throw;
  return {};
}

}  // namespace

std::vector<ToldPreemption> told_preemptions(kube::Client& client, const std::string& namespace_name,
                                             const std::string& pod) try {
  std::vector<ToldPreemption> told;
  const std::string field = "reason=Preempted" + (pod.empty() ? "" : ",involvedObject.name=" + pod);
  for (const Json& event : client.list(*api::find_kind("v1", "Event"), namespace_name, {"", field}).items) {
    Json preemptor = preemptor_in(event);
    if (preemptor.is_null() || api::involved_kind(event) != "Pod") continue;
    told.push_back({{.pod = api::involved_name(event),
                     .uid = api::involved_uid(event),
                     .time = api::time_of_event(event).value_or(Time()),
                     .reason = std::string(kPreempted)},
                    std::move(preemptor)});
  }
  return told;
} catch (const Error& error) {
  if (error.http_status != 403) throw;
  return {};
}

namespace {

/// The job of a preempting gang, which is the owner of the gang's PodGroup; "" if unknown.
std::string job_of_group(kube::Client& client, const std::string& namespace_name, const Json& group) try {
  const std::string own = string_at(group, {"namespace"}), name = api::entry_name(group);
  const auto found =
      client.get_if_exists(api::known_kind("scheduling.k8s.io/v1beta1", "PodGroup"), own, name);
  if (!found) return {};
  for (const Json& owner : api::owners_of(*found))
    if (api::kind_name(owner) != "Workload")
      return own == namespace_name ? api::entry_name(owner) : own + "/" + api::entry_name(owner);
  return {};
} catch (const Error& error) {
  if (error.http_status != 403 && error.http_status != 404) throw;
  return {};
}

}  // namespace

std::string preemptor_name(kube::Client& client, const std::string& namespace_name, const Json& preemptor) {
  if (api::kind_name(preemptor) == "PodGroup") return job_of_group(client, namespace_name, preemptor);
  const std::optional<Json> pod = find_preemptor(client, namespace_name, preemptor);
  const std::string pod_name = pod ? api::name_of(*pod) : api::entry_name(preemptor);
  if (pod_name.empty()) return {};
  std::string name = "pod " + pod_name;
  if (pod && api::uid_of(*pod) == api::entry_uid(preemptor))
    if (const std::string key = job_key_of_pod(*pod); !key.empty()) name = parts_of_key(key).name;
  const std::string own = string_at(preemptor, {"namespace"}),
                    pod_namespace = own.empty() ? api::namespace_of(*pod) : own;
  return pod_namespace == namespace_name ? name : pod_namespace + "/" + name;
}

Json disruption_is_no_failure() {
  const Json disrupted = {{"type", "DisruptionTarget"}, {"status", "True"}};
  return {{"action", "Ignore"}, {"onPodConditions", Json::array({disrupted})}};
}

namespace {

constexpr std::tuple kDisruptionFields = {
    JsonField{"pod", &Disruption::pod},   JsonField{"uid", &Disruption::uid},
    JsonField{"node", &Disruption::node}, JsonField{"start", &Disruption::start},
    JsonField{"time", &Disruption::time}, JsonField{"reason", &Disruption::reason},
    JsonField{"by", &Disruption::by},     JsonField{"told", &Disruption::told}};

}  // namespace

Json to_json(const Disruption& disruption) {
  Json json = fields_to_json(disruption, kDisruptionFields);
  if (disruption.by.empty()) json.erase("by");
  return json;
}

Disruption disruption_from_json(const Json& json) {
  Disruption disruption;
  read_fields(json, disruption, kDisruptionFields);
  return disruption;
}

}  // namespace kml::job
