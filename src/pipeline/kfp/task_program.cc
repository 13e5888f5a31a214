#include <filesystem>

#include "kml/core/error.h"
#include "kml/core/files.h"
#include "kml/core/text.h"
#include "pipeline/kfp/placeholders.h"
#include "pipeline/kfp/program.h"
#include "pipeline/kfp/values.h"

namespace kml::pipeline::kfp {

namespace {

namespace fs = std::filesystem;

/// A list of any length is handed over by it.
constexpr size_t kLongestResults = size_t{16} << 20;

/// What the program says of its outputs beside their files.
Json said_results(const fs::path& file) {
  const auto text = read_file_if_exists(file, kLongestResults);
  if (!text || trim(*text).empty()) return Json::object();
  return parse_python_json(*text, file.string());
}

Json parameter_result(const Result& result, const fs::path& place, const Json& said) {
  if (const Json* value = find(said, {"parameterValues", result.name})) return typed(*value, result.type);
  const auto text = read_file_if_exists(place, kLongestResults);
  if (!text)
    throw Error(ErrorCode::job_failed, "it ended well, but did not write output " + result.name,
                "nothing is at " + place.string());
  try {
    return parsed_as(*text, result.type);
  } catch (Error& error) {
    error.message = "output " + result.name + ": " + error.message;
    throw;
  }
}

/// A program may leave an artifact elsewhere, and name the place; or hand an input on.
void take_over(const std::string& elsewhere, const fs::path& place, const Result& result) {
  if (elsewhere.empty() || elsewhere == place) return;
  if (contains(elsewhere, "://"))
    throw Error(ErrorCode::job_failed, "output " + result.name + " is at " + elsewhere,
                "kml keeps outputs on this machine only", "write to the path that the component is given");
  std::error_code error;
  fs::remove_all(place, error);
  fs::copy(elsewhere, place, fs::copy_options::recursive, error);
  if (error)
    throw Error(ErrorCode::job_failed, "cannot take over output " + result.name + " from " + elsewhere,
                error.message());
}

std::string_view kind_of(const std::string& type) {
  return name_of(type == "system.Dataset" ? OutputKind::dataset
                 : type == "system.Model" ? OutputKind::model
                                          : OutputKind::file);
}

Json numbers_in(const Json& metadata) {
  Json numbers = Json::object();
  for (const auto& [name, value] : metadata.items())
    if (value.is_number()) numbers[name] = value;
  return numbers;
}

/// An artifact that only has metadata is an empty file.
Json artifact_result(const Result& result, const fs::path& place, const Json& said, const LocalStore& store) {
  const Json& list = array_at(said, {"artifacts", result.name, "artifacts"});
  const Json artifact = list.empty() ? Json::object() : list[0];
  const std::string custom = string_at(artifact, {"custom_path"});
  take_over(custom.empty() ? string_at(artifact, {"uri"}) : custom, place, result);
  if (!fs::exists(fs::symlink_status(place))) write_file_atomically(place, "", 0644);
  const Tree tree = store.keep(place);
  Json metadata = result.metadata;
  metadata.update(object_at(artifact, {"metadata"}));
  Json made = {{"kind", kind_of(result.type)}, {"path", place},       {"digest", tree.digest},
               {"bytes", tree.bytes},          {"files", tree.files}, {"schemaTitle", result.type},
               {"metadata", metadata}};
  if (result.type == "system.Metrics") made["metrics"] = numbers_in(metadata);
  return made;
}

}  // namespace

/// Metadata of artifacts is handed on, and so is part of what decides.
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

Json TaskProgram::made_by(const Step&, const render::Scope& scope, const LocalStore& store) const {
  const Json& places = scope.at("out");
  const Json said = said_results(string_at(places, {kResultFile}));
  Json made = Json::object();
  for (const Result& result : task_.parameter_results)
    made[result.name] = {{"value", parameter_result(result, string_at(places, {result.name}), said)}};
  for (const Result& result : task_.artifact_results)
    made[result.name] = artifact_result(result, string_at(places, {result.name}), said, store);
  return made;
}

}  // namespace kml::pipeline::kfp
