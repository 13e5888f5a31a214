#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kml/base/json.h"
#include "kml/job/render/evaluate.h"
#include "kml/pipeline/language/pipeline.h"

namespace kml::pipeline::kfp {

/// Where a task's input comes from. If a nested pipeline only passes a value on, this is the source of that
/// value.
struct Binding {
  enum class Kind {
    none,      ///< the input has no source
    constant,  ///< known at import; for a pipeline's parameter, the parameter's value
    text,      ///< a text with placeholders for other inputs of the same task
    output,    ///< the output of a step; if there are several, the first one that exists
    list,      ///< the outputs of a loop, one for each iteration
    status,    ///< how steps ended
  };
  Kind kind = Kind::none;
  Json value = {};                             ///< constant, text
  std::string param = {};                      ///< for a constant: the pipeline parameter that has this value
  std::map<std::string, Binding> inputs = {};  ///< for a text: the inputs in its placeholders
  std::vector<Source> sources = {};            ///< output
  /// for an output that no step makes: the path of a file or folder
  std::string path = {};
  std::string input = {};  ///< for an output: the name of the step's input that receives the output
  std::vector<std::string> keys = {};   ///< for an output: the path to the member that is used
  std::vector<Binding> items = {};      ///< list
  std::vector<std::string> waits = {};  ///< for a list: steps that must end before its items are known
  /// for a constant: whether it is an item of a loop whose list a step made
  bool is_made = false;
  std::vector<std::string> steps = {};  ///< for a status: the steps whose end it shows
  /// for a status: the name of the task to which these steps belong
  std::string task = {};
};

Binding constant(Json value);

/// Adds an input to the step for each output in the binding. The input is called `name`, or `name-2` and so
/// on if that is taken.
void add_inputs(Binding& binding, const std::string& name, bool is_optional, Step& step);

/// The member of a value to which `parseJson(string_value)["k"]` refers. Null if it does not exist.
Json member_of(const Json& value, const std::vector<std::string>& keys);

/// The parameter's value in this scope; null if it has none.
Json value_of(const Binding& binding, const render::Scope& scope);

/// The value of a placeholder about the run, such as "pipeline_job_name"; empty for other placeholders.
std::optional<std::string> value_of_run(const std::string& name, const render::Scope& scope);

/// The outputs that steps made for the binding, in order, in the form that Engine uses.
std::vector<Json> made_for(const Binding& binding, const Json& inputs);

/// Calls `take` with each constant and each text in the binding.
template <typename Take>
void each_constant(const Binding& binding, const Take& take) {
  if (binding.kind == Binding::Kind::constant || binding.kind == Binding::Kind::text) take(binding);
  for (const auto& [name, input] : binding.inputs) each_constant(input, take);
  for (const Binding& item : binding.items) each_constant(item, take);
}

}  // namespace kml::pipeline::kfp
