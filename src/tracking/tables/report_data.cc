#include <algorithm>
#include <cmath>

#include "kml/base/text.h"
#include "kml/base/yaml.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "kml/sweep/importance/importance.h"
#include "kml/sweep/samplers/sampler.h"
#include "kml/sweep/tables/sweep_table.h"
#include "kml/tracking/tables/sweep_report.h"

namespace kml::ui {

namespace {

using sweep::SweepSpec;
using sweep::SweepState;
using sweep::Timeline;
using sweep::Trial;

/// How many of the best learning curves are shown, and how many others. More would look like a gray area.
constexpr size_t kBestCurves = 100, kOtherCurves = 200;

double seconds(nanoseconds duration) {
  return std::round(std::chrono::duration<double, std::milli>(duration).count()) / 1e3;
}

Json json_of(const sweep::Parameter& parameter, double importance) {
  Json object = {{"name", parameter.name},
                 {"log", parameter.log},
                 {"integer", parameter.kind == sweep::Kind::integer},
                 {"low", parameter.drawn ? parameter.drawn->first : parameter.low},
                 {"high", parameter.high},
                 {"importance", importance}};
  if (!parameter.choices.empty()) {
    std::vector<std::string> choices;
    for (const Json& choice : parameter.choices) choices.push_back(parameter_text(choice));
    object["choices"] = std::move(choices);
  }
  if (parameter.condition) {
    std::vector<std::string> values;
    for (const Json& value : parameter.condition->values) values.push_back(value_text(value));
    object["condition"] = parameter.condition->parent + " = " + join(values, " or ");
  }
  return object;
}

Json parameters_of(const SweepState& state) {
  std::vector<sweep::Observation> seen;
  for (const std::uint64_t number : state.lists().ended)
    seen.push_back(observation(state.spec(), state.trials()[number]));
  std::vector<double> shares = sweep::importance(state.space(), seen);
  shares.resize(state.space().dimensions(), std::nan(""));
  Json parameters = Json::array();
  for (size_t i = 0; i < shares.size(); ++i)
    parameters.push_back(json_of(state.space().parameters()[i], shares[i]));
  return parameters;
}

bool has_curve(const Trial& trial) {
  return !trial.curve.empty();
}

/// For each trial, whether its learning curve is shown. Shows the curves of the best trials, and of a sample
/// of all others.
std::vector<bool> with_curve(const SweepState& state) {
  std::vector<const Trial*> trials;
  for (const Trial& trial : state.trials())
    if (has_curve(trial)) trials.push_back(&trial);
  const auto cost = [&](const Trial* trial) {
    return trial->state == sweep::TrialState::complete && trial->value
               ? state.spec().objective.cost(*trial->value)
               : HUGE_VAL;
  };
  std::stable_sort(trials.begin(), trials.end(),
                   [&](const Trial* a, const Trial* b) { return cost(a) < cost(b); });
  std::vector<bool> shown(state.trials().size());
  const size_t best = std::min(kBestCurves, trials.size()), others = trials.size() - best,
               most = std::min(kOtherCurves, others);
  for (size_t i = 0; i < best; ++i) shown[trials[i]->number] = true;
  for (size_t i = 0; i < most; ++i) shown[trials[best + i * others / most]->number] = true;
  return shown;
}

Json trials_of(const SweepState& state, const std::vector<double>& ran) {
  const std::vector<bool> with_curve = ui::with_curve(state);
  Json trials = Json::array();
  for (const Trial& trial : state.trials()) {
    Json object = {{"number", trial.number},   {"state", state_text(trial)}, {"point", trial.point},
                   {"ran", ran[trial.number]}, {"job", trial.job},           {"rung", trial.rung}};
    const auto since_begun = [&](const std::optional<Time>& time) {
      return time ? Json(seconds(*time - state.sessions().begun)) : Json();
    };
    const auto retries = trial.failures + trial.losses;
    set_said(object, {{"value", trial.value && std::isfinite(*trial.value) ? Json(*trial.value) : Json()},
                      {"began", since_begun(trial.began)},
                      {"ended", since_begun(trial.ended)},
                      {"gpuSeconds", trial.gpu_seconds > 0 ? Json(trial.gpu_seconds) : Json()},
                      {"retries", retries > 0 ? Json(retries) : Json()},
                      {"node", trial.node},
                      {"cause", trial.cause},
                      {"metrics", trial.metrics},
                      {"reached", trial.curve.empty() ? Json() : Json(trial.curve.back().first)},
                      {"curve", with_curve[trial.number] ? Json(trial.curve) : Json()}});
    trials.push_back(std::move(object));
  }
  return trials;
}

const Json* first_container(const Json& manifest) {
  if (!manifest.is_structured()) return nullptr;
  if (manifest.is_object())
    if (const Json& containers = api::containers_in(manifest); !containers.empty()) return &containers[0];
  for (const Json& part : manifest)
    if (const Json* found = first_container(part)) return found;
  return nullptr;
}

/// The command of a trial, with its placeholders.
std::string command_of(const Json& trial) {
  if (std::string text = api::annotation_of(trial, api::kCommand); !text.empty()) return text;
  std::vector<std::string> words;
  if (const Json* container = first_container(trial))
    for (const char* key : {"command", "args"})
      for (const Json& word : array_at(*container, {key})) words.push_back(parameter_text(word));
  return shell_quoted(words);
}

/// The settings of the sweep. Leaves out the manifest of its trials, because reports are shared, and
/// environment variables may contain secrets.
Json asked_of(const SweepState& state) {
  const SweepSpec& spec = state.spec();
  Json document = spec.document.value("spec", Json::object());
  document.erase("trialTemplate");
  Json asked = {{"spec", yaml::to_yaml(document)},
                {"command", command_of(spec.trial)},
                {"target", state.target()},
                {"seed", spec.seed},
                {"trials", spec.budget.trials},
                {"parallel", spec.parallel},
                {"algorithm", state.algorithm() + (spec.algorithm == "auto" ? " (chosen by auto)" : "")}};
  if (const Json* container = first_container(spec.trial)) asked.emplace("image", api::image_of(*container));
  return asked;
}

}  // namespace

Json report_data(const SweepState& state, const Timeline& timeline, Time now) {
  const SweepSpec& spec = state.spec();
  Json spans = Json::array();
  std::vector<double> ran(state.trials().size());
  for (const auto& [trial, time] : timeline.ran(now)) ran[trial] = seconds(time);
  for (const Timeline::Span& span : timeline.spans()) {
    const Time end = std::max(span.end.value_or(now), span.begin);
    spans.push_back({seconds(span.begin - state.sessions().begun), seconds(end - state.sessions().begun)});
  }
  Json data = {{"name", spec.name},
               {"objective",
                {{"metric", spec.objective.metric},
                 {"maximize", spec.objective.maximize},
                 {"goal", spec.objective.goal ? Json(*spec.objective.goal) : Json()}}},
               {"asked", asked_of(state)},
               {"begun", rfc3339(state.sessions().begun)},
               {"made", rfc3339(now)},
               {"length", seconds(now - state.sessions().begun)},
               {"wallTime", seconds(state.sessions().wall_time(now))},
               {"gpuSeconds", state.gpu_seconds()},
               {"end", state.end().reason},
               {"best", state.best() ? Json(*state.best()) : Json()},
               {"resource", spec.stopping.resource},
               {"rungs", rungs_of(spec.stopping)},
               {"parameters", parameters_of(state)},
               {"ended", state.lists().ended},
               {"spans", spans},
               {"curves", std::count_if(state.trials().begin(), state.trials().end(), has_curve)},
               {"trials", trials_of(state, ran)}};
  if (spec.has_front()) {
    data["objectives"] = objectives_to_json(spec);
    data["front"] = state.front();
  }
  return data;
}

}  // namespace kml::ui
