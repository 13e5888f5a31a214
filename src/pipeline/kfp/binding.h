#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kml/base/json.h"
#include "kml/job/render/evaluate.h"
#include "kml/pipeline/language/pipeline.h"

namespace kml::pipeline::kfp {

/// Where a task's input comes from, through all pipelines that pass it on.
struct Binding {
  enum class Kind {
    none,      ///< it has no source
    constant,  ///< known at import; for a parameter of the pipeline, its value
    text,      ///< texts in which placeholders name other inputs of the same task
    output,    ///< an output of a step; if several are named, the first that exists
    list,      ///< outputs of a loop, one for each iteration
    status,    ///< how steps ended
  };
  Kind kind = Kind::none;
  Json value = {};                             ///< constant, text
  std::string param = {};                      ///< constant: the pipeline's parameter with this value
  std::map<std::string, Binding> inputs = {};  ///< text: the inputs that it names
  std::vector<Source> sources = {};            ///< output
  std::string path = {};                       ///< output that no step makes: a file or folder
  std::string input = {};                      ///< output: the step's input for it
  std::vector<std::string> keys = {};          ///< output: the path of the member to use
  std::vector<Binding> items = {};             ///< list
  std::vector<std::string> waits = {};         ///< list: steps that must end before its items are known
  bool is_made = false;                        ///< constant: it is an item of a loop that a step made
  std::vector<std::string> steps = {};         ///< status: the steps whose end it shows
  std::string task = {};                       ///< status: the name of the task to which they belong
};

Binding constant(Json value);

/// Adds an input to the step for each output in the binding: `name`, or `name-2` if that is taken.
void add_inputs(Binding& binding, const std::string& name, bool is_optional, Step& step);

/// The member of a value that `parseJson(string_value)["k"]` names. Null if it does not exist.
Json member_of(const Json& value, const std::vector<std::string>& keys);

/// The parameter's value in this scope; null if it has none.
Json value_of(const Binding& binding, const render::Scope& scope);

/// The value of a placeholder such as "pipeline_job_name"; empty if it is not one about the run.
std::optional<std::string> value_of_run(const std::string& name, const render::Scope& scope);

/// The outputs that steps made for it, in order, in the form that Engine uses.
std::vector<Json> made_for(const Binding& binding, const Json& inputs);

/// Calls `take` with each constant in it.
template <typename Take>
void each_constant(const Binding& binding, const Take& take) {
  if (binding.kind == Binding::Kind::constant || binding.kind == Binding::Kind::text) take(binding);
  for (const auto& [name, input] : binding.inputs) each_constant(input, take);
  for (const Binding& item : binding.items) each_constant(item, take);
}

}  // namespace kml::pipeline::kfp
