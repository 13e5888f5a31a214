#include "pipeline/kfp/compiled.h"

#include <algorithm>
#include <map>

#include "kml/base/error.h"
#include "kml/base/pyyaml.h"
#include "kml/base/sha256.h"
#include "kml/base/text.h"
#include "pipeline/kfp/declared_texts.h"
#include "pipeline/kfp/values.h"

namespace kml::pipeline::kfp {

namespace {

const std::map<std::string, render::Type> kParameterTypes = {{"STRING", render::Type::string},
                                                             {"NUMBER_INTEGER", render::Type::integer},
                                                             {"NUMBER_DOUBLE", render::Type::number},
                                                             {"BOOLEAN", render::Type::boolean},
                                                             {"LIST", render::Type::list},
                                                             {"STRUCT", render::Type::map}};

void read_platforms(const Json& document, Compiled& compiled, render::Problems& problems) {
  check_fields(document, {"platforms"}, "", problems);
  for (const auto& [name, platform] : object_at(document, {"platforms"}).items()) {
    const std::string path = "platforms." + name;
    if (name != "kubernetes") {
      refuse(problems, path, "kml does not know the platform \"" + name + "\"");
      continue;
    }
    check_fields(platform, {"deploymentSpec"}, path, problems);
    check_fields(object_at(platform, {"deploymentSpec"}), {"executors"}, path + ".deploymentSpec", problems);
    compiled.kubernetes = object_at(platform, {"deploymentSpec", "executors"});
  }
}

/// Reads the document as PyYAML does, which wrote it: `n` and `1e3` are texts.
Json json_of(yaml::Node document, const std::string& file, bool is_json) {
  keep_declared_texts(document);
  if (!is_json) yaml::resolve_as_pyyaml(document);
  return yaml::to_json(document, file);
}

void check_version(const Json& spec, render::Problems& problems) {
  const std::string version = string_at(spec, {"schemaVersion"});
  if (!version.starts_with("2.1."))
    refuse(problems, "schemaVersion",
           "kml runs compiled pipelines of version 2.1.0; this file has version \"" + version +
               "\": compile it again with kfp 2");
}

}  // namespace

void refuse(render::Problems& problems, const std::string& path, std::string text) {
  problems.add({}, path, std::move(text));
}

void check_fields(const Json& object, std::initializer_list<std::string_view> known, const std::string& path,
                  render::Problems& problems) {
  if (!object.is_object()) return;
  for (const auto& [name, value] : object.items())
    if (std::find(known.begin(), known.end(), name) == known.end() && !value.is_null())
      refuse(problems, path.empty() ? name : path + "." + name, "kml does not support \"" + name + "\"");
}

std::string label_of(std::string_view name, size_t most) {
  std::string label;
  for (const char c : lower(name)) {
    const bool fits = is_digit(c) || (c >= 'a' && c <= 'z');
    if (fits)
      label += c;
    else if (!label.empty() && label.back() != '-')
      label += '-';
  }
  if (label.size() > most) label = label.substr(0, most - 9) + "-" + sha256_hex(name).substr(0, 8);
  while (label.ends_with('-')) label.pop_back();
  return label.empty() ? "pipeline" : label;
}

Compiled compiled_parts(const std::vector<yaml::Node>& documents, std::string_view text,
                        render::Problems& problems) {
  const bool is_json = Json::accept(text);
  Compiled compiled;
  compiled.spec = json_of(documents[0], problems.file(), is_json);
  compiled.values = Json::object();
  if (compiled.spec.contains("pipelineSpec")) {
    const Json job = std::move(compiled.spec);
    check_fields(job, {"pipelineSpec", "runtimeConfig", "displayName", "name", "labels"}, "", problems);
    check_fields(object_at(job, {"runtimeConfig"}), {"parameterValues", "gcsOutputDirectory"},
                 "runtimeConfig", problems);
    compiled.spec = object_at(job, {"pipelineSpec"});
    compiled.values = object_at(job, {"runtimeConfig", "parameterValues"});
  }
  check_version(compiled.spec, problems);
  check_fields(compiled.spec,
               {"components", "deploymentSpec", "pipelineInfo", "root", "schemaVersion", "sdkVersion",
                "defaultPipelineRoot"},
               "", problems);
  check_fields(object_at(compiled.spec, {"deploymentSpec"}), {"executors"}, "deploymentSpec", problems);
  for (size_t i = 1; i < documents.size(); ++i)
    if (documents[i].kind != yaml::Kind::null)
      read_platforms(json_of(documents[i], problems.file(), is_json), compiled, problems);
  return compiled;
}

namespace {

/// Turns the pipeline's input artifacts into parameters: `-p data=PATH` names a file that no task makes.
void add_artifacts(const Json& artifacts, std::vector<render::Parameter>& parameters,
                   render::Problems& problems) {
  for (const auto& [name, input] : artifacts.items()) {
    check_fields(input, {"artifactType", "isOptional", "description"},
                 "root.inputDefinitions.artifacts." + name, problems);
    render::Parameter parameter;
    parameter.name = name;
    parameter.help = string_at(input, {"description"});
    parameter.required = !bool_at(input, {"isOptional"});
    parameter.pattern = "(?s).+";
    parameter.sample = "FILE";
    parameters.push_back(std::move(parameter));
  }
}

}  // namespace

std::vector<render::Parameter> parameters_of(const Compiled& compiled, render::Problems& problems) {
  std::vector<render::Parameter> parameters;
  const Json& inputs = object_at(compiled.spec, {"root", "inputDefinitions"});
  check_fields(inputs, {"parameters", "artifacts"}, "root.inputDefinitions", problems);
  for (const auto& [name, input] : object_at(inputs, {"parameters"}).items()) {
    const std::string path = "root.inputDefinitions.parameters." + name;
    check_fields(input, {"parameterType", "defaultValue", "isOptional", "description", "literals"}, path,
                 problems);
    const std::string type = string_at(input, {"parameterType"});
    if (type == "TASK_FINAL_STATUS" && bool_at(input, {"isOptional"}))
      continue;  // only an exit handler sets this parameter
    const auto known = kParameterTypes.find(type);
    if (known == kParameterTypes.end()) {
      refuse(problems, path, "kml does not support parameters of the type \"" + type + "\"");
      continue;
    }
    render::Parameter parameter{
        name, known->second, {}, false, string_at(input, {"description"}), {}, {}, {}, {}, {}};
    const Json* value = find(compiled.values, {name});
    if (!value) value = find(input, {"defaultValue"});
    if (value) parameter.default_value = typed(*value, type);
    parameter.required = !value && !bool_at(input, {"isOptional"});
    for (const Json& literal : array_at(input, {"literals"}))
      parameter.one_of.push_back(typed(literal, type));
    parameters.push_back(std::move(parameter));
  }
  add_artifacts(object_at(inputs, {"artifacts"}), parameters, problems);
  for (const auto& [name, value] : compiled.values.items())
    if (!object_at(inputs, {"parameters"}).contains(name))
      refuse(problems, "runtimeConfig.parameterValues." + name, "the pipeline has no such parameter");
  return parameters;
}

}  // namespace kml::pipeline::kfp
