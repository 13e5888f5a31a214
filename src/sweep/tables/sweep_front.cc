#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "kml/base/text.h"
#include "kml/sweep/tables/sweep_table.h"
#include "kml/ui/columns.h"
#include "kml/ui/table.h"

namespace kml::ui {

using sweep::SweepState;
using sweep::Trial;

std::vector<const Trial*> front_of(const SweepState& state) {
  std::vector<const Trial*> trials;
  for (const std::uint64_t number : state.front()) trials.push_back(&state.trials()[number]);
  const auto cost = [&](const Trial* trial) { return state.spec().objective.cost(*trial->value); };
  std::stable_sort(trials.begin(), trials.end(),
                   [&](const Trial* a, const Trial* b) { return cost(a) < cost(b); });
  return trials;
}

std::string values_in_words(const sweep::SweepSpec& spec, const Trial& trial) {
  std::string text = trial.value ? spec.objective.metric + "=" + number_text(*trial.value) : "";
  for (const std::string& metric : spec.objective.additional)
    if (const auto found = trial.metrics.find(metric); found != trial.metrics.end())
      text += (text.empty() ? "" : " ") + metric + "=" + number_text(found->second);
  return text;
}

std::string front_in_words(const SweepState& state) {
  std::vector<std::string> metrics;
  for (const sweep::Objective& objective : state.spec().objectives()) metrics.push_back(objective.metric);
  const size_t count = state.front().size();
  return std::to_string(count) + (count == 1 ? " trial" : " trials") + " on the front of " +
         join(metrics, ", ");
}

void print_front(const Streams& streams, const SweepState& state) {
  const sweep::SweepSpec& spec = state.spec();
  std::vector<Column<const Trial*>> columns = {
      {"TRIAL", [](const Trial* trial) { return std::to_string(trial->number); }},
      {upper(spec.objective.metric), [](const Trial* trial) { return number_text(*trial->value); }}};
  for (const std::string& metric : spec.objective.additional)
    columns.emplace_back(upper(metric), [&metric](const Trial* trial) {
      const auto found = trial->metrics.find(metric);
      return found == trial->metrics.end() ? "-" : number_text(found->second);
    });
  for (const sweep::Parameter& parameter : spec.parameters)
    columns.emplace_back(parameter.name, [&parameter](const Trial* trial) {
      const auto found = trial->values.find(parameter.name);
      return found == trial->values.end() ? "-" : parameter_text(*found);
    });
  const Table table = table_of(columns, front_of(state));
  table.print(streams);
}

Json front_to_json(const SweepState& state) {
  Json trials = Json::array();
  for (const Trial* trial : front_of(state)) {
    Json values = trial->metrics;
    values[state.spec().objective.metric] = *trial->value;
    trials.push_back({{"trial", trial->number},
                      {"metrics", std::move(values)},
                      {"parameters", trial->values},
                      {"job", trial->job}});
  }
  return trials;
}

Json objectives_to_json(const sweep::SweepSpec& spec) {
  Json objectives = Json::array();
  for (const sweep::Objective& objective : spec.objectives())
    objectives.push_back({{"metric", objective.metric}, {"maximize", objective.maximize}});
  return objectives;
}

}  // namespace kml::ui
