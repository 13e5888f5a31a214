#include "kml/kube/objects/object.h"
#include "kml/sweep/tables/sweep_table.h"

#include <algorithm>
#include <ostream>

#include "kml/base/json_number.h"
#include "kml/base/text.h"
#include "kml/ui/csv.h"
#include "sweep/tables/sweep_stopping.h"

namespace kml::ui {

namespace {

using sweep::SweepState;
using sweep::Trial;

/// The recorded values of additional metrics. For a metric that diverged, its last value.
Json exported_metrics(const Trial& trial, const sweep::SweepSpec& spec) {
  Json metrics = trial.metrics;
  for (const auto& [name, last] : trial.diverged)
    if (name != spec.objective.metric) metrics[name] = json_of_number(last.second);
  return metrics;
}

Json exported_value(const Trial& trial, const sweep::SweepSpec& spec) {
  const auto diverged = trial.has_ended() ? trial.diverged_to(spec.objective.metric) : std::nullopt;
  return trial.value ? json_of_number(*trial.value) : diverged ? json_of_number(*diverged) : Json();
}

Json to_json(const Trial& trial, const sweep::SweepSpec& spec, const StoppingReport& stopping) {
  Json object = {{"trial", trial.number}, {"state", state_text(trial)}, {"parameters", trial.values},
                 {"job", trial.job},      {"node", trial.node},         {"gpuSeconds", trial.gpu_seconds},
                 {"rung", trial.rung},    {"attempt", trial.attempt}};
  set_said(object, {{"value", exported_value(trial, spec)},
                    {"began", api::time_text(trial.began)},
                    {"ended", api::time_text(trial.ended)},
                    {"cause", trial.cause},
                    {"metrics", exported_metrics(trial, spec)},
                    {"curve", trial.curve},
                    {"stopping", stopping.to_json(trial)}});
  return object;
}

/// A unique name for a column: "metrics.lr" if there is a parameter lr, too.
std::string column(std::vector<std::string>& taken, const std::string& kind, const std::string& name) {
  const bool is_free = std::find(taken.begin(), taken.end(), name) == taken.end();
  taken.push_back(is_free ? name : kind + "." + name);
  return taken.back();
}

}  // namespace

void print_csv(const Streams& streams, const SweepState& state) {
  const sweep::SweepSpec& spec = state.spec();
  std::vector<std::string> header = {"trial", "state", spec.objective.metric, "began", "ended", "gpuSeconds"};
  std::vector<std::string> taken = header;
  taken.emplace_back("cause");
  for (const sweep::Parameter& parameter : spec.parameters)
    header.push_back(column(taken, "parameters", parameter.name));
  for (const std::string& metric : spec.objective.additional)
    header.push_back(column(taken, "metrics", metric));
  header.emplace_back("cause");
  for (std::string& name : header) name = csv_field(name);
  streams.out << join(header, ",") << "\n";
  const StoppingReport stopping(state);
  for (const Trial& trial : state.trials()) {
    const Json object = to_json(trial, spec, stopping);
    std::vector<std::string> fields;
    for (const char* key : {"trial", "state", "value", "began", "ended", "gpuSeconds"})
      fields.push_back(csv_field(object.value(key, Json())));
    for (const sweep::Parameter& parameter : spec.parameters)
      fields.push_back(csv_field(trial.values.value(parameter.name, Json())));
    for (const std::string& metric : spec.objective.additional)
      fields.push_back(csv_field(object_at(object, {"metrics"}).value(metric, Json())));
    fields.push_back(csv_field(in_a_line(trial.cause)));
    streams.out << join(fields, ",") << "\n";
  }
}

void print_jsonl(const Streams& streams, const SweepState& state) {
  const StoppingReport stopping(state);
  for (const Trial& trial : state.trials())
    streams.out << json_text(to_json(trial, state.spec(), stopping)) << "\n";
}

Json to_json(const SweepState& state) {
  const StoppingReport stopping(state);
  Json trials = Json::array();
  for (const Trial& trial : state.trials()) trials.push_back(to_json(trial, state.spec(), stopping));
  Json object = {{"name", state.spec().name},
                 {"objective",
                  {{"metric", state.spec().objective.metric}, {"maximize", state.spec().objective.maximize}}},
                 {"end", state.end().reason.empty() ? Json() : Json(state.end().reason)},
                 {"best", state.best() ? Json(*state.best()) : Json()},
                 {"gpuSeconds", state.gpu_seconds()},
                 {"trials", trials}};
  if (!stopping.is_empty()) object["earlyStopping"] = stopping.to_json();
  if (state.spec().has_front()) {
    object["objectives"] = objectives_to_json(state.spec());
    object["front"] = state.front();
  }
  return object;
}

}  // namespace kml::ui
