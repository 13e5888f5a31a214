#include "sweep/spec/objectives.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "kml/base/text.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/object.h"
#include "kml/sweep/samplers/sampler.h"

namespace kml::sweep {

namespace {

using Strategy = Objective::Strategy;

void read_metric(Fields& fields, Objective& objective) {
  objective.metric = fields.text("objectiveMetricName");
  if (objective.metric.empty()) fields.problem("objectiveMetricName", "is missing");
  if (!fields.take("type")) fields.problem("type", "is missing: maximize or minimize");
  objective.maximize = fields.word("type", {"minimize", "maximize"}) == "maximize";
}

/// Katib's default is the best value that a trial has reported. kml's default is the last value, because it
/// belongs to the saved model.
void read_strategies(Fields& fields, bool is_katib, Objective& objective) {
  if (!is_katib)
    objective.strategy =
        fields.word("strategy", {"latest", "best"}) == "best" ? Strategy::best : Strategy::latest;
  const std::string extreme = objective.maximize ? "max" : "min";
  if (is_katib) objective.strategy = Strategy::best;
  const Json* list = fields.take("metricStrategies");
  if (!list || !list->is_array()) return;
  for (const Json& entry : *list) {
    if (api::entry_name(entry) != objective.metric) continue;
    const std::string value = api::value_of(entry);
    if (value == "latest")
      objective.strategy = Strategy::latest;
    else if (value == extreme)
      objective.strategy = Strategy::best;
    else
      fields.problem("metricStrategies", "\"" + value + "\" cannot be used: " + extreme + " or latest");
  }
}

/// In Katib, an additional metric without a strategy has the strategy of the objective's type.
void read_additional_strategies(Fields& fields, Objective& objective) {
  for (const std::string& metric : objective.additional) objective.extremes[metric] = objective.maximize;
  const Json* list = fields.take("metricStrategies");
  if (!list || !list->is_array()) return;
  for (const Json& entry : *list) {
    const auto extreme = objective.extremes.find(api::entry_name(entry));
    if (extreme == objective.extremes.end()) continue;
    const std::string value = api::value_of(entry);
    if (value == "latest")
      objective.extremes.erase(extreme);
    else if (value == "min" || value == "max")
      extreme->second = value == "max";
    else
      fields.problem("metricStrategies", "\"" + value + "\" is not min, max or latest");
  }
}

/// Reads several objectives. The first one is stored in spec.objective. The values of a trial are the last
/// ones, because the best ones may be from different steps.
void read_several(const Json& list, SweepSpec& spec, std::vector<Problem>& problems) {
  std::vector<Objective> objectives;
  for (size_t i = 0; i < list.size(); ++i) {
    Fields fields(&list[i], "spec.objectives[" + std::to_string(i) + "]", problems);
    read_metric(fields, objectives.emplace_back());
    const std::string& metric = objectives.back().metric;
    if (std::any_of(objectives.begin(), objectives.end() - 1,
                    [&](const Objective& other) { return other.metric == metric; }))
      fields.problem("objectiveMetricName", metric + " is given twice");
    fields.end();
  }
  spec.objective = std::move(objectives.front());
  spec.further.assign(objectives.begin() + 1, objectives.end());
  for (const Objective& objective : spec.further) spec.objective.additional.push_back(objective.metric);
}

}  // namespace

void read_objectives(Fields& fields, bool is_katib, SweepSpec& spec, std::vector<Problem>& problems) {
  const Json* several = fields.take("objectives");
  Fields objective(fields.take("objective"), "spec.objective", problems);
  if (several && several->is_array() && several->size() > 1) {
    read_several(*several, spec, problems);
    if (objective.take("goal"))
      objective.problem("goal",
                        "cannot be combined with several objectives, because no single trial is the best");
  } else {
    if (several) fields.problem("objectives", "must be a list of at least two objectives");
    read_metric(objective, spec.objective);
    spec.objective.goal = objective.number("goal");
    read_strategies(objective, is_katib, spec.objective);
  }
  for (std::string& metric : objective.texts("additionalMetricNames"))
    if (const auto& known = spec.objective.additional;
        std::find(known.begin(), known.end(), metric) == known.end())
      spec.objective.additional.push_back(std::move(metric));
  if (is_katib) read_additional_strategies(objective, spec.objective);
  objective.end();
}

void check_objectives(const SweepSpec& spec, std::vector<Problem>& problems) {
  if (spec.further.empty()) return;
  const auto refuse = [&](const char* path, std::string text) {
    problems.push_back({{}, 0, 0, path, std::move(text)});
  };
  constexpr size_t kMost = 4;
  if (spec.further.size() + 1 > kMost) refuse("spec.objectives", "are more than " + std::to_string(kMost));
  const std::vector<std::string>& names = front_sampler_names();
  if (spec.algorithm != "auto" && std::find(names.begin(), names.end(), spec.algorithm) == names.end())
    refuse("spec.algorithm.algorithmName",
           spec.algorithm + " learns from one objective only; with several objectives, use " +
               join(names, ", "));
  if (spec.objective.goal)
    refuse("spec.budget.target",
           "cannot be combined with several objectives, because no single trial is the best");
  if (spec.stopping.rule != StopRule::none)
    refuse("spec.earlyStopping",
           "cannot be combined with several objectives: it compares trials by their learning curves for one "
           "metric");
  if (!spec.warm_start.empty())
    refuse("spec.warmStart",
           "cannot be combined with several objectives: earlier results have a value for only one objective");
}

}  // namespace kml::sweep
