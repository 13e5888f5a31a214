#include "kml/jobs/views/disruption.h"

#include "kml/api/labels.h"
#include "kml/api/object.h"
#include "kml/api/pod.h"
#include "kml/core/error.h"
#include "kml/jobs/views/kinds.h"

namespace kml::jobs {

std::optional<Disruption> disruption_of(const Json& pod) {
  const api::Condition target = api::condition(pod, "DisruptionTarget");
  if (!target.is_true()) return {};
  return Disruption{api::name_of(pod),
                    api::uid_of(pod),
                    api::node_of(pod),
                    api::started_at(pod),
                    target.since().value_or(Time()),
                    target.reason(),
                    api::annotation_of(pod, api::kPreemptedBy)};
}

std::string in_words(const Disruption& disruption) {
  if (disruption.reason != kPreempted) return "stopped by the cluster: " + disruption.reason;
  return disruption.by.empty() ? "preempted, by: unknown" : "preempted by " + disruption.by;
}

std::vector<ToldPreemption> told_preemptions(kube::Client& client, const std::string& namespace_name,
                                             const std::string& pod) try {
  std::vector<ToldPreemption> told;
  const std::string field = "reason=Preempted" + (pod.empty() ? "" : ",involvedObject.name=" + pod);
  for (const Json& event : client.list(*api::find_kind("v1", "Event"), namespace_name, {"", field}).items) {
    const Json* preemptor = find(event, {"related"});
    if (!preemptor || string_at(event, {"involvedObject", "kind"}) != "Pod") continue;
    told.push_back({{.pod = string_at(event, {"involvedObject", "name"}),
                     .uid = string_at(event, {"involvedObject", "uid"}),
                     .time = api::time_of_event(event).value_or(Time()),
                     .reason = std::string(kPreempted)},
                    *preemptor});
  }
  return told;
} catch (const Error& error) {
  if (error.http_status != 403) throw;
  return {};
}

std::string preemptor_name(kube::Client& client, const std::string& namespace_name, const Json& preemptor) {
  const std::string pod_namespace = string_at(preemptor, {"namespace"});
  const std::string pod_name = string_at(preemptor, {"name"});
  std::string name = "pod " + pod_name;
  try {
    const auto pod = client.get_if_exists(*api::find_kind("v1", "Pod"), pod_namespace, pod_name);
    if (pod && api::uid_of(*pod) == string_at(preemptor, {"uid"}))
      if (const std::string key = job_key_of_pod(*pod); !key.empty()) name = key.substr(key.find('/') + 1);
  } catch (const Error& error) {
    if (error.http_status != 403) throw;
  }
  return pod_namespace == namespace_name ? name : pod_namespace + "/" + name;
}

Json disruption_is_no_failure() {
  const Json disrupted = {{"type", "DisruptionTarget"}, {"status", "True"}};
  return {{"action", "Ignore"}, {"onPodConditions", Json::array({disrupted})}};
}

Json to_json(const Disruption& disruption) {
  Json json = {{"pod", disruption.pod},
               {"uid", disruption.uid},
               {"node", disruption.node},
               {"time", rfc3339(disruption.time)},
               {"reason", disruption.reason}};
  if (disruption.start) json["start"] = rfc3339(*disruption.start);
  if (!disruption.by.empty()) json["by"] = disruption.by;
  return json;
}

Disruption disruption_from_json(const Json& json) {
  return {string_at(json, {"pod"}),
          string_at(json, {"uid"}),
          string_at(json, {"node"}),
          api::time_at(json, {"start"}),
          api::time_at(json, {"time"}).value_or(Time()),
          string_at(json, {"reason"}),
          string_at(json, {"by"})};
}

}  // namespace kml::jobs
