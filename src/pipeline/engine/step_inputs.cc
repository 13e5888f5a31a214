#include "pipeline/engine/step_inputs.h"

#include <algorithm>
#include <vector>

#include "kml/base/error.h"
#include "pipeline/engine/condition_value.h"

namespace kml::pipeline {

namespace {

/// The first metric in the condition that is not a number: "train.loss is NaN". Empty if all are numbers.
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

bool StepInputs::has_made(const Source& source) const {
  return pipeline::has_made(run_.state().step(source.step).phase);
}

const Source* StepInputs::source_of(const Input& input) const {
  const auto found = std::find_if(input.sources.begin(), input.sources.end(),
                                  [&](const Source& source) { return has_made(source); });
  return found == input.sources.end() ? nullptr : &*found;
}

const Source* StepInputs::missing_of(const Input& input) const {
  if (input.is_outside()) return nullptr;
  if (!input.is_list) return source_of(input) || input.is_optional ? nullptr : &input.sources[0];
  const auto found = std::find_if(input.sources.begin(), input.sources.end(),
                                  [&](const Source& source) { return !has_made(source); });
  return found == input.sources.end() ? nullptr : &*found;
}

std::string StepInputs::unmet_condition(const Step& step) const {
  if (!step.when) return {};
  if (std::string odd = odd_metric(run_.pipeline(), run_.state(), *step.when); !odd.empty())
    return step.when->text() + " does not hold: " + odd;
  return holds(step) ? "" : step.when->text() + " does not hold";
}

bool StepInputs::holds(const Step& step) const {
  bool is_anything_missing = false;
  try {
    return step.when->holds([&](const std::string& name) {
      Json value = value_of(name);
      is_anything_missing = is_anything_missing || value.is_null();
      return value;
    });
  } catch (const Error&) {
    if (is_anything_missing) return false;  // treated as if an input were missing
    throw;
  }
}

Json StepInputs::value_of(const std::string& name) const {
  const auto outputs_of = [&](const Step& step) -> const Json& { return run_.state_of(step).outputs; };
  return condition_value(run_.pipeline(), run_.head().params, outputs_of, name);
}

Json StepInputs::of(const Step& step) const {
  Json inputs = Json::object();
  const auto made = [&](const Source& source) {
    return object_at(run_.state().step(source.step).outputs, {source.output});
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

}  // namespace kml::pipeline
