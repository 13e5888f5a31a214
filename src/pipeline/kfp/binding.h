#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kml/core/json.h"
#include "kml/pipeline/pipeline.h"
#include "kml/render/evaluate.h"

namespace kml::pipeline::kfp {

/// Where a task's input comes from, through all pipelines that it is handed on by.
struct Binding {
  enum class Kind {
    none,      ///< nothing gives it
    constant,  ///< known at import; of a parameter of the pipeline, that value
    text,      ///< texts in which placeholders name other inputs of the same task
    output,    ///< of a step: of several, the first that was made
    list,      ///< of a loop: one for each iteration
    status,    ///< how steps ended
  };
  Kind kind = Kind::none;
  Json value = {};                             ///< of a constant or a text
  std::string param = {};                      ///< the parameter that a constant is the value of
  std::map<std::string, Binding> inputs = {};  ///< that a text names
  std::vector<Source> sources = {};            ///< of an output
  std::string path = {};                       ///< of an output that no step makes: a file or folder
  std::string input = {};                      ///< of an output: the step's input that has it
  std::vector<std::string> keys = {};          ///< of an output: the member that is meant
  std::vector<Binding> items = {};             ///< of a list
  std::vector<std::string> waits = {};         ///< of a list: steps that end before its items are known
  bool is_made = false;                        ///< of a constant: a step gave it, as an item of a loop
  std::vector<std::string> steps = {};         ///< of a status
  std::string task = {};                       ///< of a status: whose
};

Binding constant(Json value);

/// Gives each output in it an input of the step: `name`, or `name-2` where that is taken.
void add_inputs(Binding& binding, const std::string& name, bool is_optional, Step& step);

/// The member of a value that `parseJson(string_value)["k"]` names. Null if there is none.
Json member_of(const Json& value, const std::vector<std::string>& keys);

/// The parameter's value in this scope; null if nothing gives it.
Json value_of(const Binding& binding, const render::Scope& scope);

/// What a placeholder such as "pipeline_job_name" stands for; nothing if it is not one of the run's.
std::optional<std::string> value_of_run(const std::string& name, const render::Scope& scope);

/// What steps made for it, in order, as Engine has it.
std::vector<Json> made_for(const Binding& binding, const Json& inputs);

/// Calls `take` with each constant in it.
template <typename Take>
void each_constant(const Binding& binding, const Take& take) {
  if (binding.kind == Binding::Kind::constant || binding.kind == Binding::Kind::text) take(binding);
  for (const auto& [name, input] : binding.inputs) each_constant(input, take);
  for (const Binding& item : binding.items) each_constant(item, take);
}

}  // namespace kml::pipeline::kfp
