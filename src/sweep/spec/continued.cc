#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kml/base/json.h"
#include "kml/kube/objects/object.h"
#include "kml/sweep/spec/sweep_spec.h"

namespace kml::sweep {

namespace {

/// The value without the fields that describe the submit, not the trial.
Json without_notes(Json value) {
  if (value.is_object())
    for (const char* key : {"annotations", "labels", "name", "generateName", "namespace"}) {
      if (auto metadata = value.find("metadata"); metadata != value.end() && metadata->is_object())
        metadata->erase(key);
    }
  if (value.is_structured())
    for (Json& child : value) child = without_notes(std::move(child));
  return value;
}

}  // namespace

std::vector<std::string> changed_space(const Json& before, const Json& after) {
  std::vector<std::string> changed;
  // A Katib document has different defaults.
  if (api::kind_name(before) != api::kind_name(after)) changed.emplace_back("kind");
  for (const char* key : {"parameters", "constraints", "objective", "objectives", "algorithm", "seed",
                          "fidelity", "earlyStopping", "deterministic", "fanOut", "timeLimit",
                          "metricsCollectorSpec", "checkpointDir", "trialTemplate"}) {
    Json old_part = api::spec_of(before).value(key, Json());
    Json new_part = api::spec_of(after).value(key, Json());
    if (std::string_view(key) == "objective") {  // the goal may change, because it is part of the budget
      if (old_part.is_object()) old_part.erase("goal");
      if (new_part.is_object()) new_part.erase("goal");
    }
    if (without_notes(std::move(old_part)) != without_notes(std::move(new_part)))
      changed.push_back(std::string("spec.") + key);
  }
  return changed;
}

Json continued(const Json& before, Json after) {
  Json& spec = after["spec"];
  spec["trialTemplate"] = before.at("spec").at("trialTemplate");
  spec.erase("warmStart");
  if (const Json* warm = find(before, {"spec", "warmStart"})) spec["warmStart"] = *warm;
  return after;
}

}  // namespace kml::sweep
