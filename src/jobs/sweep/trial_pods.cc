#include "kml/jobs/sweep/trial_pods.h"

#include <fmt/format.h>

#include <algorithm>

#include "kml/api/labels.h"
#include "kml/api/resource.h"
#include "kml/core/json.h"
#include "kml/core/text.h"

namespace kml::jobs {

std::string trial_pod_selector(kube::Client& client, const SweepMarks& sweep,
                               const sweep::TrialConditions& conditions, const std::vector<std::string>& jobs,
                               const std::string& trial) {
  const auto pods = [&](const std::string& selector) {
    return client.list(*api::find_kind("v1", "Pod"), sweep.namespace_name, {selector, {}}).items;
  };
  std::string own = fmt::format("{}={},{}={}", api::kSweep, sweep.name, api::kSubmitId, sweep.id);
  if (!trial.empty()) own += fmt::format(",{}={}", api::kTrial, trial);
  if (!pods(own).empty()) return own;
  std::string primary;
  for (const auto& [name, value] : conditions.pod_labels) primary += name + "=" + value + ",";
  if (!primary.empty()) primary.pop_back();
  for (const Json& pod : pods(primary))
    for (const auto& [name, value] : object_at(pod, {"metadata", "labels"}).items()) {
      const std::string job = value.is_string() ? value.get<std::string>() : "";
      if (std::find(jobs.begin(), jobs.end(), job) == jobs.end()) continue;
      return (primary.empty() ? "" : primary + ",") + name + " in (" + join(jobs, ",") + ")";
    }
  return own;
}

}  // namespace kml::jobs
