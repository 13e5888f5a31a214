#include "sweep/commands/sweep_overlay.h"

#include <algorithm>
#include <string>
#include <utility>

#include "kml/base/error.h"
#include "kml/kube/objects/object.h"
#include "kml/sweep/spec/sweep_spec.h"

namespace kml::cli {

namespace {

/// "epoch:1..27" or "epoch:27".
Json fidelity_of(const std::string& text) {
  const size_t colon = text.find(':'), dots = text.find("..");
  if (colon == std::string::npos || colon == 0)
    throw usage_error("--resource " + text + ": must be METRIC:[MIN..]MAX", "",
                      "for example: --resource epoch:1..27");
  const std::string metric = text.substr(0, colon);
  if (dots == std::string::npos) return {{"metric", metric}, {"max", text.substr(colon + 1)}};
  return {
      {"metric", metric}, {"min", text.substr(colon + 1, dots - colon - 1)}, {"max", text.substr(dots + 2)}};
}

/// Sets the members that are not empty in a section. Only creates the section if there are any.
void set_in(Json& spec, const char* section, Json members) {
  Json said;
  set_said(said, std::move(members));
  if (!said.is_null()) spec[section].update(said);
}

/// Removes a setting that a flag overrides.
void forget(Json& spec, const char* section, const char* key) {
  if (const auto found = spec.find(section); found != spec.end() && found->is_object()) found->erase(key);
}

/// Sets the seed, which in a Katib document is one of the algorithm's settings.
void set_seed(Json& document, long long seed) {
  Json& spec = document["spec"];
  const bool is_katib = api::kind_name(document) == "Experiment";
  if (is_katib || !array_at(spec, {"algorithm", "algorithmSettings"}).empty()) {
    Json& settings = spec["algorithm"]["algorithmSettings"];
    if (settings.is_null()) settings = Json::array();
    const auto is_seed = [](const Json& setting) {
      const std::string name = api::entry_name(setting);
      return name == "seed" || name == "random_state";
    };
    settings.erase(std::remove_if(settings.begin(), settings.end(), is_seed), settings.end());
    if (is_katib) settings.push_back({{"name", "random_state"}, {"value", std::to_string(seed)}});
  }
  if (!is_katib) spec["seed"] = seed;
}

/// Sets one objective or several.
void set_objectives(Json& spec, const SweepRequest& request) {
  Json objectives = Json::array();
  for (const auto& [type, metrics] :
       {std::pair("maximize", &request.maximize), {"minimize", &request.minimize}})
    for (const std::string& metric : *metrics)
      objectives.push_back({{"type", type}, {"objectiveMetricName", metric}});
  if (objectives.size() == 1) {
    spec.erase("objectives");
    set_in(spec, "objective", objectives[0]);
  } else if (objectives.size() > 1) {
    spec["objectives"] = std::move(objectives);
    for (const char* key : {"type", "objectiveMetricName", "strategy", "metricStrategies"})
      forget(spec, "objective", key);
  }
}

}  // namespace

void lay_over(Json& document, const SweepRequest& request) {
  if (!request.names.empty()) document["metadata"]["name"] = request.names[0];
  Json& spec = document["spec"];
  set_objectives(spec, request);
  if (!request.goal.empty()) {
    set_in(spec, "objective", {{"goal", request.goal}});
    forget(spec, "budget", "target");
  }
  for (const std::string& parameter : request.parameters)
    spec["parameters"].push_back(sweep::parameter_of_flag(parameter));
  for (const std::string& constraint : request.constraints) spec["constraints"].push_back(constraint);
  set_in(spec, "algorithm", {{"algorithmName", request.algorithm}});
  if (request.trials) {
    spec["maxTrialCount"] = *request.trials;
    forget(spec, "budget", "trials");
  }
  if (request.seed) set_seed(document, *request.seed);
  set_said(spec, {{"parallelTrialCount", or_null(request.parallel)},
                  {"fanOut", request.fan_out},
                  {"deterministic", request.deterministic ? Json(true) : Json()},
                  {"checkpointDir", request.checkpoints}});
  set_in(spec, "budget",
         {{"wallTime", request.time ? std::to_string(request.time->count()) + "s" : ""},
          {"gpuHours", request.gpu_hours}});
  set_in(spec, "earlyStopping", {{"algorithmName", request.early_stopping}, {"mode", request.mode}});
  if (!request.fidelity.empty()) spec["fidelity"] = fidelity_of(request.fidelity);
  if (!request.metrics_file.empty())
    spec["metricsCollectorSpec"] = {{"collector", {{"kind", "File"}}},
                                    {"source", {{"fileSystemPath", {{"path", request.metrics_file}}}}}};
  for (const spec::Setting& flag : request.submit.settings)
    if (flag.name == "retries") spec["retry"]["failures"] = flag.value;
}

void keep_unsaid(Json& document, const Json& before) {
  Json& spec = document["spec"];
  const Json& old = api::spec_of(before);
  // Whether the document sets the number of trials, in either of its forms.
  const bool says_trials = spec.contains("maxTrialCount") || find(spec, {"budget", "trials"});
  const bool says_goal = find(spec, {"objective", "goal"}) || find(spec, {"budget", "target"});
  const auto keep = [](Json& to, const Json& from, const std::string& key) {
    if (from.contains(key) && !to.contains(key)) to[key] = from[key];
  };
  for (const char* key :
       {"parallelTrialCount", "maxFailedTrialCount", "retry", "metricsCollectorSpec", "checkpointDir"})
    keep(spec, old, key);
  if (!says_trials) keep(spec, old, "maxTrialCount");
  if (!says_goal && spec["objective"].is_object())
    keep(spec["objective"], object_at(old, {"objective"}), "goal");
  const Json& budget = object_at(old, {"budget"});
  for (const auto& [key, value] : budget.items())
    if (!(key == "trials" && says_trials) && !(key == "target" && says_goal))
      keep(spec["budget"], budget, key);
}

}  // namespace kml::cli
