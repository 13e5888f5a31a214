#include "kml/pipeline/tables/run_table.h"

#include <algorithm>
#include <map>
#include <set>

#include "kml/base/text.h"
#include "kml/base/value_text.h"
#include "kml/job/tables/job_tables.h"
#include "kml/sweep/tables/sweep_table.h"
#include "kml/ui/columns.h"
#include "kml/ui/table.h"

namespace kml::ui {

namespace {

using pipeline::Phase;
using pipeline::Pipeline;
using pipeline::PlannedStep;
using pipeline::RunState;
using pipeline::Step;
using pipeline::StepState;

Style style_of_step(const StepState& state) {
  switch (state.phase) {
    case Phase::running: return state.is_seen ? Style::green : Style::yellow;
    case Phase::failed: return Style::red;
    case Phase::waiting:
    case Phase::skipped:
    case Phase::cancelled: return Style::dim;
    case Phase::cached:
    case Phase::done: return Style::plain;
  }
  return Style::plain;
}

std::string time_text(const StepState& state, Time now) {
  if (!state.began) return {};
  return short_duration(state.ended.value_or(now) - *state.began);
}

/// The depth of each step: the length of the longest chain of steps before it.
std::map<std::string, size_t> depths(const Pipeline& pipeline) {
  std::map<std::string, size_t> depths;
  for (const Step& step : pipeline.steps)
    for (const std::string& name : dependencies(step))
      depths[step.name] = std::max(depths[step.name], depths[name] + 1);
  return depths;
}

std::string indented(const std::string& name, size_t depth) {
  return std::string(2 * depth, ' ') + name;
}

/// A value as the step wrote it, or a metric with enough digits.
std::string made_text(pipeline::OutputKind kind, const Json& made) {
  return kind == pipeline::OutputKind::metric ? value_text(made["value"]) : parameter_text(as_written(made));
}

std::string output_in_words(const pipeline::Output& output, const Json& made) {
  if (const Json& metrics = object_at(made, {"metrics"}); !metrics.empty()) {
    std::vector<std::string> words;
    for (const auto& [name, value] : metrics.items()) words.push_back(name + "=" + value_text(value));
    return join(words, "  ");
  }
  if (made.contains("value")) return output.name + "=" + in_a_line(made_text(output.kind, made));
  const long long files = int_at(made, {"files"});
  return output.name + " (" + size_text(static_cast<std::uintmax_t>(int_at(made, {"bytes"}))) +
         (files == 1 ? ")" : ", " + std::to_string(files) + " files)");
}

/// The names of at most `most` steps: first steps that are running or failed, then steps not started yet,
/// then the others from the end of the pipeline.
std::set<std::string> most_telling(const Pipeline& pipeline, const RunState& run, size_t most) {
  std::set<std::string> names;
  const auto add = [&](const auto& is_meant, bool from_behind) {
    const size_t count = pipeline.steps.size();
    for (size_t i = 0; i < count && names.size() < most; ++i) {
      const std::string& name = pipeline.steps[from_behind ? count - 1 - i : i].name;
      if (is_meant(run.step(name).phase)) names.insert(name);
    }
  };
  add([](Phase phase) { return phase == Phase::running || phase == Phase::failed; }, false);
  add([](Phase phase) { return phase == Phase::waiting; }, false);
  add([](Phase) { return true; }, true);
  return names;
}

Json step_to_json(const Step& step, const StepState& state) {
  Json json = {{"name", step.name}, {"state", name_of(state.phase)}, {"outputs", state.outputs}};
  set_said(json, {{"after", dependencies(step)},
                  {"job", state.job},
                  {"key", state.key},
                  {"from", state.from},
                  {"cause", state.cause.empty() ? state.ran_because : state.cause}});
  if (state.began) json["began"] = rfc3339(*state.began);
  if (state.ended) json["ended"] = rfc3339(*state.ended);
  return json;
}

}  // namespace

/// The step's state in words. A step is "starting" until a pod of its job has started.
std::string step_state_text(const StepState& state, const RunState& run) {
  if (state.phase == Phase::running && !state.is_seen) return "starting";
  if (state.phase == Phase::waiting && run.end()) return "not run";
  return std::string(name_of(state.phase));
}

std::string step_in_words(const Step& step, const StepState& state) {
  if (!has_made(state.phase)) return in_a_line(state.cause);
  if (step.items) return std::to_string(state.items.size()) + (state.items.size() == 1 ? " step" : " steps");
  std::vector<std::string> words;
  for (const pipeline::Output& output : step.outputs)
    if (const Json& made = object_at(state.outputs, {output.name}); !made.empty())
      words.push_back(output_in_words(output, made));
  if (state.phase == Phase::cached) words.push_back("made by " + state.from);
  return join(words, "  ");
}

void print_steps(const Streams& streams, const Pipeline& pipeline, const RunState& run, Time now,
                 size_t most) {
  const std::map<std::string, size_t> depth = depths(pipeline);
  const std::set<std::string> shown = most_telling(pipeline, run, most);
  std::vector<const Step*> steps;
  for (const Step& step : pipeline.steps)
    if (shown.contains(step.name)) steps.push_back(&step);
  const std::vector<Column<const Step*>> columns = {
      {"STEP",
       [&](const Step* step) {
         const auto at = depth.find(step->name);
         return indented(step->name, at == depth.end() ? 0 : at->second);
       }},
      {"STATE",
       [&](const Step* step) -> Cell {
         const StepState& state = run.step(step->name);
         return {step_state_text(state, run), style_of_step(state)};
       }},
      {"TIME", [&](const Step* step) { return time_text(run.step(step->name), now); }},
      {"DETAILS", [&](const Step* step) { return step_in_words(*step, run.step(step->name)); }}};
  table_of(columns, steps).print(streams);
  if (const size_t others = pipeline.steps.size() - shown.size(); others > 0)
    streams.out << "and " << others << " more\n";
}

void print_plan(const Streams& streams, const Pipeline& pipeline, const std::vector<PlannedStep>& plan) {
  using What = PlannedStep::What;
  const std::map<std::string, size_t> depth = depths(pipeline);
  size_t last = 0;  // the depth of the previous step; the steps of a loop follow the loop
  const auto name = [&](const PlannedStep& step) {
    const auto at = depth.find(step.step);
    const bool is_known = pipeline.find(step.step) != nullptr;
    if (is_known) last = at == depth.end() ? 0 : at->second;
    return indented(step.step, is_known ? last : last + 1);
  };
  const auto what = [](const PlannedStep& step) -> Cell {
    return {step.what == What::hit       ? "HIT"
            : step.what == What::skip    ? "SKIP"
            : step.what == What::several ? "FOREACH"
            : step.what == What::run     ? "RUN"
                                         : "RUN?",
            step.what == What::run ? Style::yellow : Style::plain};
  };
  const auto why = [](const PlannedStep& step) {
    return step.what == What::hit ? "made by " + step.cause : step.cause;
  };
  const std::vector<Column<PlannedStep>> columns = {{"STEP", name}, {"PLAN", what}, {"WHY", why}};
  const Table table = table_of(columns, plan);
  table.print(streams);
}

std::string run_state_text(const RunState& run, bool is_left) {
  if (run.end()) return std::string(name_of(*run.end()));
  return is_left ? "interrupted" : "running";
}

namespace {

Style style_of_run(const RunRow& run) {
  const auto& end = run.state.end();
  if (end == pipeline::Outcome::failed) return Style::red;
  return end || run.is_left ? Style::plain : Style::green;
}

}  // namespace

void print_runs(const Streams& streams, const std::vector<RunRow>& runs, Time now) {
  const auto state = [](const RunRow& run) -> Cell {
    const std::string text =
        run_state_text(run.state, run.is_left) + (run.state.ran_nothing() ? ", all cached" : "");
    return {text, style_of_run(run)};
  };
  const auto steps = [](const RunRow& run) {
    const auto ended = std::count_if(run.state.steps().begin(), run.state.steps().end(),
                                     [](const auto& each) { return has_ended(each.second.phase); });
    return std::to_string(ended) + "/" + std::to_string(run.steps);
  };
  const std::vector<Column<RunRow>> columns = {
      {"RUN", [](const RunRow& run) { return run.state.name(); }},
      {"PIPELINE", &RunRow::pipeline},
      {"STATE", state},
      {"STEPS", steps},
      {"AGE", [now](const RunRow& run) { return age(run.state.began(), now); }},
      {"ENGINE", &RunRow::engine}};
  const Table table = table_of(columns, runs);
  table.print(streams);
}

Json run_to_json(const Pipeline& pipeline, const RunState& run, bool is_left) {
  Json steps = Json::array();
  for (const Step& step : pipeline.steps) steps.push_back(step_to_json(step, run.step(step.name)));
  Json json = {{"name", run.name()},          {"pipeline", pipeline.name},
               {"file", run.head().file},     {"state", run_state_text(run, is_left)},
               {"params", run.head().params}, {"began", rfc3339(run.began().value_or(Time{}))},
               {"steps", std::move(steps)}};
  json["ranNothing"] = run.ran_nothing();
  if (run.end()) json["ended"] = rfc3339(run.last_time());
  return json;
}

Json plan_to_json(const std::vector<PlannedStep>& plan) {
  static constexpr const char* kNames[] = {"hit", "run", "maybe", "skip", "foreach"};
  Json steps = Json::array();
  for (const PlannedStep& step : plan)
    steps.push_back(
        {{"name", step.step}, {"plan", kNames[static_cast<size_t>(step.what)]}, {"cause", step.cause}});
  return steps;
}

}  // namespace kml::ui
