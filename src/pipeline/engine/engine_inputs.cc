#include <algorithm>
#include <set>

#include "kml/base/error.h"
#include "kml/pipeline/engine/engine.h"
#include "kml/pipeline/engine/run_time.h"
#include "kml/pipeline/language/value_text.h"

namespace kml::pipeline {

namespace {

/// The name of one item of a list: "models-0".
std::string item_name(const std::string& input, size_t i) {
  return input + "-" + std::to_string(i);
}

/// An input as a command sees it: its value, or its path.
Json placed(const StepRunner& runner, const std::string& name, const Json& input) {
  if (!input.is_array())
    return input.contains("value") ? as_written(input) : Json(runner.input_place(name, input));
  Json list = Json::array();
  for (size_t i = 0; i < input.size(); ++i) list.push_back(placed(runner, item_name(name, i), input[i]));
  return list;
}

/// The inputs with the paths at which the step finds them.
Json at_places(const StepRunner& runner, Json inputs) {
  for (auto& [name, input] : inputs.items()) {
    if (input.contains("digest")) input["path"] = runner.input_place(name, input);
    for (size_t i = 0; input.is_array() && i < input.size(); ++i)
      if (input[i].contains("digest")) input[i]["path"] = runner.input_place(item_name(name, i), input[i]);
  }
  return inputs;
}

/// The inputs, with each item of a list as an input of its own.
Json each_alone(const Json& inputs) {
  Json alone = Json::object();
  for (const auto& [name, input] : inputs.items()) {
    if (!input.is_array()) alone[name] = input;
    for (size_t i = 0; input.is_array() && i < input.size(); ++i) alone[item_name(name, i)] = input[i];
  }
  return alone;
}

/// Names a metric of the condition that is not a number: "train.loss is NaN". Empty if all are numbers.
std::string odd_metric(const Pipeline& pipeline, const RunState& run, const Expression& condition) {
  for (const std::string& name : condition.names()) {
    const size_t dot = name.find('.');
    const std::string second = name.substr(dot + 1);
    for (const Step* step : pipeline.all_of(name.substr(0, dot))) {
      const Output* output = step->find_output(second);
      const std::string text = string_at(run.step(step->name).outputs, {second, "value"});
      if (output && output->kind == OutputKind::metric && !text.empty())
        return step->name + "." + second + " is " + text;
    }
  }
  return {};
}

}  // namespace

/// Empty if the step must run.
std::string Engine::reason_to_skip(const Step& step) const {
  for (const Input& input : step.inputs) {
    const Source* missing = missing_of(input);
    if (!missing) continue;
    return "input " + input.name + ": " + missing->step + " " +
           (state_.step(missing->step).phase == Phase::failed ? "failed" : "was skipped");
  }
  if (bool_at(state_.head(), {"keepsGoing"}) && !step.at_exit && has_needed_failed()) {
    const std::set<std::string> hopeless = hopeless_steps();
    for (const std::string& name : dependencies(step))
      if (hopeless.contains(name)) return name + " failed, or could not run";
  }
  for (const std::string& name : step.needs)
    if (is_lost(*pipeline_.find(name))) return name + " failed, or could not run";
  if (step.when)
    if (std::string odd = odd_metric(pipeline_, state_, *step.when); !odd.empty())
      return step.when->text() + " does not hold: " + odd;
  if (step.when && !holds(step)) return step.when->text() + " does not hold";
  return {};
}

/// A source that is needed but missing, or nullptr.
const Source* Engine::missing_of(const Input& input) const {
  if (input.is_outside()) return nullptr;
  if (!input.is_list) return source_of(input) || input.is_optional ? nullptr : &input.sources[0];
  const auto found = std::find_if(input.sources.begin(), input.sources.end(), [&](const Source& source) {
    return !has_made(state_.step(source.step).phase);
  });
  return found == input.sources.end() ? nullptr : &*found;
}

/// In a run that keeps going: the steps whose failure would otherwise have ended the run, and those that were
/// skipped because of one of them.
std::set<std::string> Engine::hopeless_steps() const {
  std::set<std::string> hopeless;
  for (const Step& step : pipeline_.steps) {  // each after those that it depends on
    const Phase phase = state_.step(step.name).phase;
    const std::vector<std::string> names = dependencies(step);
    if ((phase == Phase::failed && !step.continues) ||
        (phase == Phase::skipped &&
         std::any_of(names.begin(), names.end(), [&](const auto& name) { return hopeless.contains(name); })))
      hopeless.insert(step.name);
  }
  return hopeless;
}

/// Whether the step has failed, or was skipped because of one that has.
bool Engine::is_lost(const Step& step) const {
  const Phase phase = state_.step(step.name).phase;
  return phase == Phase::failed ||
         (phase == Phase::skipped && std::any_of(step.needs.begin(), step.needs.end(), [&](const auto& name) {
            return is_lost(*pipeline_.find(name));
          }));
}

/// The first source that exists, or nullptr.
const Source* Engine::source_of(const Input& input) const {
  const auto found = std::find_if(input.sources.begin(), input.sources.end(), [&](const Source& source) {
    return has_made(state_.step(source.step).phase);
  });
  return found == input.sources.end() ? nullptr : &*found;
}

bool Engine::holds(const Step& step) const {
  bool is_anything_missing = false;
  try {
    return step.when->holds([&](const std::string& name) {
      Json value = value_of(name);
      is_anything_missing = is_anything_missing || value.is_null();
      return value;
    });
  } catch (const Error&) {
    if (is_anything_missing) return false;  // as if an input is missing
    throw;
  }
}

/// The value of a name in a condition; null if no step made it.
Json Engine::value_of(const std::string& name) const {
  const size_t dot = name.find('.');
  const std::string first = name.substr(0, dot), second = name.substr(dot + 1);
  if (first == "params") return object_at(state_.head(), {"params"}).value(second, Json());
  const std::vector<const Step*> steps = pipeline_.all_of(first);
  Json values = Json::array();
  for (const Step* step : steps)
    if (!step->items)
      values.push_back(object_at(state_.step(step->name).outputs, {second}).value("value", Json()));
  const Step* single = pipeline_.find(first);
  return single && !single->items ? values[0] : values;
}

Json Engine::inputs_of(const Step& step) const {
  Json inputs = Json::object();
  const auto made = [&](const Source& source) {
    return object_at(state_.step(source.step).outputs, {source.output});
  };
  for (const Input& input : step.inputs) {
    if (input.is_outside()) {
      inputs[input.name] = cache_.outside(input);
      continue;
    }
    if (!input.is_list) {
      if (const Source* source = source_of(input)) inputs[input.name] = made(*source);
      continue;
    }
    Json& list = inputs[input.name] = Json::array();
    for (const Source& source : input.sources) list.push_back(made(source));
  }
  return inputs;
}

/// The step's job, with files and folders as paths and other inputs as values.
StepJob Engine::job_of(const Step& step, bool is_new) const {
  const StepState& state = state_.step(step.name);
  Json in = Json::object(), out = Json::object();
  for (const auto& [name, input] : state.inputs.items()) in[name] = placed(runner_, name, input);
  for (const Output& output : step.outputs)
    if (output.kind != OutputKind::metric)
      out[output.name] = output.path.empty()
                             ? runner_.output_place(state_.name(), step, state.attempt, output)
                             : output.path;
  StepJob job{
      state.job,
      &step,
      {{"params", object_at(state_.head(), {"params"})},
       {"in", in},
       {"out", out},
       {"item", step.item},
       {"run",
        {{"name", state_.name()}, {"status", outcome()}, {"scheduled", scheduled_text(state_.head())}}},
       {"step", {{"name", step.name}}}},
      is_new,
      state.attempt,
      each_alone(state.inputs),
      state.began.value_or(clock_.now())};
  if (step.program) add_for_program(job, state);
  return job;
}

/// Adds what a StepProgram needs to the job's scope.
void Engine::add_for_program(StepJob& job, const StepState& state) const {
  Json after = Json::object();
  for (const std::string& name : job.step->after)
    after[name] = {{"phase", name_of(state_.step(name).phase)}, {"cause", state_.step(name).cause}};
  const std::string file(StepProgram::kResultFile);
  job.scope["after"] = std::move(after);
  job.scope["inputs"] = at_places(runner_, state.inputs);
  job.scope["out"][file] =
      runner_.output_place(state_.name(), *job.step, state.attempt, {file, OutputKind::value});
  job.scope["run"]["id"] = state_.id();
  job.scope["run"]["began"] = string_at(state_.head(), {"time"});
}

}  // namespace kml::pipeline
