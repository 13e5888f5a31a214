#include "cli/sweep_overlay.h"

#include <algorithm>

#include "kml/core/error.h"
#include "kml/sweep/spec/sweep_spec.h"

namespace kml::cli {

namespace {

/// "epoch:1..27" or "epoch:27".
Json fidelity_of(const std::string& text) {
  const size_t colon = text.find(':'), dots = text.find("..");
  if (colon == std::string::npos || colon == 0)
    throw usage_error("--resource " + text + ": a metric and its range are wanted", "", "as in epoch:1..27");
  Json fidelity = {{"metric", text.substr(0, colon)}};
  if (dots == std::string::npos) {
    fidelity["max"] = text.substr(colon + 1);
  } else {
    fidelity["min"] = text.substr(colon + 1, dots - colon - 1);
    fidelity["max"] = text.substr(dots + 2);
  }
  return fidelity;
}

/// What says the same as a flag in other words.
void forget(Json& spec, const char* section, const char* key) {
  if (const auto found = spec.find(section); found != spec.end() && found->is_object()) found->erase(key);
}

/// Katib has it among the settings of its algorithm.
void set_seed(Json& document, long long seed) {
  Json& spec = document["spec"];
  const bool is_katib = string_at(document, {"kind"}) == "Experiment";
  if (is_katib || !array_at(spec, {"algorithm", "algorithmSettings"}).empty()) {
    Json& settings = spec["algorithm"]["algorithmSettings"];
    if (settings.is_null()) settings = Json::array();
    const auto is_seed = [](const Json& setting) {
      const std::string name = string_at(setting, {"name"});
      return name == "seed" || name == "random_state";
    };
    settings.erase(std::remove_if(settings.begin(), settings.end(), is_seed), settings.end());
    if (is_katib) settings.push_back({{"name", "random_state"}, {"value", std::to_string(seed)}});
  }
  if (!is_katib) spec["seed"] = seed;
}

}  // namespace

void lay_over(Json& document, const SweepRequest& request) {
  if (!request.names.empty()) document["metadata"]["name"] = request.names[0];
  Json& spec = document["spec"];
  if (!request.maximize.empty() && !request.minimize.empty())
    throw usage_error("both --maximize and --minimize were given", "", "use one of them");
  if (const std::string metric = request.maximize + request.minimize; !metric.empty()) {
    spec["objective"]["type"] = request.maximize.empty() ? "minimize" : "maximize";
    spec["objective"]["objectiveMetricName"] = metric;
  }
  if (!request.goal.empty()) {
    spec["objective"]["goal"] = request.goal;
    forget(spec, "budget", "target");
  }
  for (const std::string& parameter : request.parameters)
    spec["parameters"].push_back(sweep::parameter_of_flag(parameter));
  for (const std::string& constraint : request.constraints) spec["constraints"].push_back(constraint);
  if (!request.algorithm.empty()) spec["algorithm"]["algorithmName"] = request.algorithm;
  if (request.trials) {
    spec["maxTrialCount"] = *request.trials;
    forget(spec, "budget", "trials");
  }
  if (request.parallel) spec["parallelTrialCount"] = *request.parallel;
  if (request.seed) set_seed(document, *request.seed);
  if (!request.fan_out.empty()) spec["fanOut"] = request.fan_out;
  if (request.deterministic) spec["deterministic"] = true;
  if (request.time) spec["budget"]["wallTime"] = std::to_string(request.time->count()) + "s";
  if (!request.gpu_hours.empty()) spec["budget"]["gpuHours"] = request.gpu_hours;
  if (!request.early_stopping.empty()) spec["earlyStopping"]["algorithmName"] = request.early_stopping;
  if (!request.mode.empty()) spec["earlyStopping"]["mode"] = request.mode;
  if (!request.fidelity.empty()) spec["fidelity"] = fidelity_of(request.fidelity);
  if (!request.checkpoints.empty()) spec["checkpointDir"] = request.checkpoints;
  if (!request.metrics_file.empty())
    spec["metricsCollectorSpec"] = {{"collector", {{"kind", "File"}}},
                                    {"source", {{"fileSystemPath", {{"path", request.metrics_file}}}}}};
  for (const spec::Setting& flag : request.submit.settings)
    if (flag.name == "retries") spec["retry"]["failures"] = flag.value;
}

void keep_unsaid(Json& document, const Json& before) {
  Json& spec = document["spec"];
  const Json& old = object_at(before, {"spec"});
  // What says the same in other words.
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
