#include "sweep/runner/trial_pods.h"

#include <fmt/format.h>

#include <set>

#include "kml/base/text.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/resource.h"

namespace kml::sweep {

static std::string own_selector(const SweepMarks& sweep, const std::string& trial) {
  std::string own = fmt::format("{}={},{}={}", api::kSweep, sweep.name, api::kSubmitId, sweep.id);
  if (!trial.empty()) own += fmt::format(",{}={}", api::kTrial, trial);
  return own;
}

std::vector<Json> trial_objects(kube::Client& client, const SweepMarks& sweep, const Json& manifest,
                                const std::set<std::string>& names) {
  std::vector<Json> objects =
      client.list(client.kind_of(manifest), sweep.namespace_name, {own_selector(sweep, ""), {}}).items;
  std::erase_if(objects, [&](const Json& object) { return !names.contains(api::name_of(object)); });
  return objects;
}

std::string trial_pod_selector(kube::Client& client, const SweepMarks& sweep,
                               const TrialConditions& conditions, const std::vector<Json>& trials,
                               const std::string& trial) {
  const job::Owners owners = job::owners_of(trials);
  job::Ownership ownership;
  const auto pods = [&](const std::string& selector) {
    std::vector<Json> found =
        client.list(*api::find_kind("v1", "Pod"), sweep.namespace_name, {selector, {}}).items;
    std::erase_if(found, [&](const Json& pod) { return !ownership.has(client, owners, pod); });
    return found;
  };
  const std::string own = own_selector(sweep, trial);
  if (!pods(own).empty()) return own;
  std::string primary;
  for (const auto& [name, value] : conditions.pod_labels) primary += name + "=" + value + ",";
  if (!primary.empty()) primary.pop_back();
  std::set<std::string> names;
  for (const Json& object : trials) names.insert(api::name_of(object));
  for (const Json& pod : pods(primary))
    for (const auto& [name, value] : object_at(pod, {"metadata", "labels"}).items())
      if (value.is_string() && names.contains(value.get<std::string>()))
        return (primary.empty() ? "" : primary + ",") + name + " in (" +
               join(std::vector(names.begin(), names.end()), ",") + ")";
  return own;
}

}  // namespace kml::sweep
