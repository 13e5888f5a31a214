#include <cmath>

#include "kml/base/error.h"
#include "kml/base/json_number.h"
#include "kml/base/text.h"
#include "kml/pipeline/language/pipeline.h"
#include "pipeline/kfp/placeholders.h"
#include "pipeline/kfp/program.h"
#include "pipeline/kfp/values.h"

namespace kml::pipeline::kfp {

namespace {

/// What the program wrote about its outputs to its result file.
Json said_results(const Leavings& left) {
  const auto text = left.text(std::string(StepProgram::kResultFile));
  if (!text || trim(*text).empty()) return Json::object();
  return parse_python_json(*text, StepProgram::kResultFile);
}

/// The Error for a missing output. A function's result file lacks the outputs for which the function returned
/// None.
Error not_made(const Result& result, const std::string& place, const Leavings& left) {
  const bool is_function = left.text(std::string(StepProgram::kResultFile)).has_value();
  return {
      ErrorCode::job_failed, "it succeeded, but did not write output " + result.name,
      is_function ? "the function returned None in place of a " + result.type : "nothing exists at " + place};
}

Json parameter_result(const Result& result, const std::string& place, const Json& said,
                      const Leavings& left) {
  const Json* value = find(said, {"parameterValues", result.name});
  const auto text = value ? std::nullopt : left.text(result.name);
  if (value ? value->is_null() : !text) throw not_made(result, place, left);
  try {
    return output_value(value ? *value : from_file(*text, result.type), result.type);
  } catch (Error& error) {
    error.message = "output " + result.name + " " + error.message;
    throw;
  }
}

/// The value without NaN and infinities, which JSON lacks. KFP passes this value to programs.
Json without_not_finite(Json value) {
  if (value.is_number_float() && !std::isfinite(value.get<double>())) return nullptr;
  if (value.is_structured())
    for (Json& part : value) part = without_not_finite(std::move(part));
  return value;
}

/// The numbers, NaN and infinities included: a run that diverged must not look as if it had no loss.
Json numbers_in(const Json& metadata) {
  Json numbers = Json::object();
  for (const auto& [name, value] : metadata.items())
    if (value.is_number_float())
      numbers[name] = json_of_number(value.get<double>());
    else if (value.is_number())
      numbers[name] = value;
  return numbers;
}

/// The result for an artifact. A program may write it to a different path and report that path; it may also
/// pass on an input. `metadata` applies unless the program reports other metadata.
Json artifact_result(const Result& result, Json metadata, const std::string& place, const Json& said,
                     const Leavings& left) {
  const Json& list = array_at(said, {"artifacts", result.name, "artifacts"});
  const Json artifact = list.empty() ? Json::object() : list[0];
  const std::string custom = string_at(artifact, {"custom_path"});
  std::string elsewhere = custom.empty() ? string_at(artifact, {"uri"}) : custom;
  if (elsewhere == place) elsewhere.clear();
  if (contains(elsewhere, "://"))
    throw Error(ErrorCode::job_failed, "output " + result.name + " is at " + elsewhere,
                "kml keeps the files of outputs itself", "write to the path that the component is given");
  Json made = left.tree({result.name, kind_of_artifact(result.type)}, elsewhere);
  metadata.update(object_at(artifact, {"metadata"}));
  if (result.type == "system.Metrics") made["metrics"] = numbers_in(metadata);
  made.update({{"schemaTitle", result.type}, {"metadata", without_not_finite(std::move(metadata))}});
  return made;
}

}  // namespace

OutputKind kind_of_artifact(const std::string& type) {
  return type == "system.Dataset" ? OutputKind::dataset
         : type == "system.Model" ? OutputKind::model
                                  : OutputKind::artifact;
}

/// The program receives the metadata of artifacts, so the metadata is part of the key.
void TaskProgram::add_to_key(const Json& inputs, std::map<std::string, std::string>& parts) const {
  for (const Argument& argument : task_.parameters)
    each_constant(argument.binding, [&](const Binding& binding) {
      if (binding.param.empty())
        parts["argument " + argument.name] += compact_text(binding.value);
      else
        parts["param " + binding.param] = compact_text(binding.value);
    });
  for (const Argument& argument : task_.artifacts) {
    std::string text;
    for (const Json& made : made_for(argument.binding, inputs))
      text += compact_text(object_at(made, {"metadata"}));
    parts["metadata of " + argument.name] = text;
  }
  for (const Result& result : task_.parameter_results) parts["type of " + result.name] = result.type;
  for (const Result& result : task_.artifact_results) parts["type of " + result.name] = result.type;
}

/// The metadata in an importer may refer to the task's parameters.
Json TaskProgram::metadata_of(const Result& result, const render::Scope& scope) const {
  Binding text{.kind = Binding::Kind::text, .value = result.metadata};
  for (const Argument& argument : task_.parameters) text.inputs[argument.name] = argument.binding;
  return value_of(text, scope);
}

Json TaskProgram::made_by(const Step&, const render::Scope& scope, const Leavings& left) const {
  const Json& places = scope.at("out");
  const Json said = said_results(left);
  Json made = Json::object();
  for (const Result& result : task_.parameter_results)
    made[result.name] = {{"value", parameter_result(result, string_at(places, {result.name}), said, left)}};
  for (const Result& result : task_.artifact_results)
    made[result.name] =
        artifact_result(result, metadata_of(result, scope), string_at(places, {result.name}), said, left);
  return made;
}

}  // namespace kml::pipeline::kfp
