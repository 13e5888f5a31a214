#include <filesystem>

#include "kml/base/error.h"
#include "kml/base/text.h"
#include "kml/pipeline/store/store.h"
#include "pipeline/kfp/environment.h"
#include "pipeline/kfp/placeholders.h"
#include "pipeline/kfp/program.h"
#include "pipeline/kfp/values.h"

namespace kml::pipeline::kfp {

namespace {

/// An artifact in the form of the SDK's RuntimeArtifact.
Json runtime_artifact(const std::string& name, const std::string& type, const std::string& version,
                      const Json& made) {
  return {{"name", name},
          {"type", {{"schemaTitle", string_at(made, {"schemaTitle"}, type)}, {"schemaVersion", version}}},
          {"uri", string_at(made, {"path"})},
          {"metadata", object_at(made, {"metadata"})}};
}

/// The path in the URI of a file (RFC 8089); any other text unchanged. "file://a" is a relative path here.
std::string path_in(const std::string& uri) {
  constexpr std::pair<std::string_view, const char*> kForms[] = {
      {"file://localhost/", "/"}, {"file://", ""}, {"file:/", "/"}};
  for (const auto& [form, root] : kForms)
    if (uri.starts_with(form)) return root + percent_decoded(uri.substr(form.size()));
  return uri;
}

void refuse_too_long(const std::vector<std::string>& words) {
  for (const std::string& word : words)
    if (word.size() > kMostArgumentBytes)
      throw usage_error("its parameters have " + std::to_string(word.size()) + " bytes in all, more than " +
                            std::to_string(kMostArgumentBytes),
                        "Linux does not allow a longer command argument",
                        "pass long values as artifacts, such as Input[Dataset]");
}

}  // namespace

std::string file_of_uri(std::string uri, const std::string& folder) {
  uri = path_in(uri);
  if (contains(uri, "://"))
    throw usage_error(
        "cannot import " + uri, "it is not on this machine",
        "download it, and give its path: kml can import only files and folders on this machine");
  return (std::filesystem::path(folder) / uri).lexically_normal();
}

ContainerProgram::ContainerProgram(Task task, std::vector<std::string> words)
    : TaskProgram(std::move(task)), words_(std::move(words)) {
  if (!has_bootstrap(words_)) return;
  bootstrap_ = words_[2];
  words_.erase(words_.begin(), words_.begin() + 3);
}

Json ContainerProgram::executor_input(const render::Scope& scope) const {
  Json input = {{"inputs", {{"parameterValues", Json::object()}, {"artifacts", Json::object()}}},
                {"outputs", {{"parameters", Json::object()}, {"artifacts", Json::object()}}}};
  for (const Argument& argument : task().parameters)
    if (Json value = typed(value_of(argument.binding, scope), argument.type); !value.is_null())
      input["inputs"]["parameterValues"][argument.name] = std::move(value);
  const auto inputs = scope.find("inputs");
  for (const Argument& argument : task().artifacts) {
    Json list = Json::array();
    if (inputs != scope.end())
      for (const Json& made : made_for(argument.binding, inputs->second))
        list.push_back(runtime_artifact(argument.name, argument.type, argument.version, made));
    if (!list.empty()) input["inputs"]["artifacts"][argument.name]["artifacts"] = std::move(list);
  }
  const auto out = scope.find("out");
  const Json& places = out == scope.end() ? Json::object() : out->second;
  Json& outputs = input["outputs"];
  for (const Result& result : task().parameter_results)
    outputs["parameters"][result.name]["outputFile"] = string_at(places, {result.name});
  for (const Result& result : task().artifact_results)
    outputs["artifacts"][result.name]["artifacts"] = {
        runtime_artifact(result.name, result.type, result.version,
                         {{"path", string_at(places, {result.name})}, {"metadata", result.metadata}})};
  outputs["outputFile"] = string_at(places, {kResultFile});
  return input;
}

std::string ContainerProgram::value_of_placeholder(const std::string& name, const Json& input,
                                                   const render::Scope& scope) const {
  if (name.empty()) return compact_text(input);
  if (const std::string key = key_in(name, "inputs.parameters"); !key.empty())
    return text_of(object_at(input, {"inputs", "parameterValues"}).value(key, Json("")));
  for (const char* group : {"inputs", "outputs"})
    if (const std::string key = key_in(name, group + std::string(".artifacts")); !key.empty()) {
      const Json& list = array_at(input, {group, "artifacts", key, "artifacts"});
      if (name.ends_with("']")) return compact_text(list);
      if (list.empty()) return {};
      if (name.ends_with(".path") || name.ends_with(".uri")) return string_at(list[0], {"uri"});
      const Json& metadata = object_at(list[0], {"metadata"});
      if (name.ends_with(".metadata")) return compact_text(metadata);
      if (const std::string member = key_in(name.substr(name.find(']') + 1), ".metadata"); !member.empty())
        return text_of(metadata.value(member, Json("")));
    }
  if (const std::string key = key_in(name, "outputs.parameters"); !key.empty())
    return string_at(input, {"outputs", "parameters", key, "outputFile"});
  if (name == "outputs.output_file") return string_at(input, {"outputs", "outputFile"});
  if (auto value = value_of_run(name, scope)) return *value;
  throw usage_error("unknown placeholder {{$." + name + "}}");
}

std::vector<std::string> ContainerProgram::command(const render::Scope& scope, Where where) const {
  const Json input = executor_input(scope);
  std::vector<std::string> words = unfolded(words_, [&](const std::string& name) {
    return object_at(input, {"inputs", "parameterValues"}).contains(name) ||
           object_at(input, {"inputs", "artifacts"}).contains(name);
  });
  for (std::string& word : words)
    word =
        substituted(word, [&](const std::string& name) { return value_of_placeholder(name, input, scope); });
  refuse_too_long(words);
  if (bootstrap_.empty()) return words;
  if (where == Where::here) return in_environment(installing_part(bootstrap_), words);
  words.insert(words.begin(), {"sh", "-c", with_readable_kfp(bootstrap_)});
  return words;
}

void ContainerProgram::add_to_key(const Json& inputs, std::map<std::string, std::string>& parts) const {
  TaskProgram::add_to_key(inputs, parts);
  parts["command"] = compact_text(words_);
  if (bootstrap_.empty()) return;
  parts["packages to install"] = installing_part(bootstrap_);
}

void ContainerProgram::add_here_to_key(std::map<std::string, std::string>& parts) const {
  if (!bootstrap_.empty()) add_python(parts);
}

std::vector<std::string> ImporterProgram::command(const render::Scope& scope, Where) const {
  const auto out = scope.find("out");
  const std::string place =
      out == scope.end() ? "" : string_at(out->second, {task().artifact_results[0].name});
  return {"cp", "-rL", "--reflink=auto", "--", source(scope), place};
}

std::string ImporterProgram::source(const render::Scope& scope) const {
  const auto inputs = scope.find("inputs");
  const std::string known = inputs == scope.end() ? "" : string_at(inputs->second, {kImportedFile, "path"});
  return known.empty() ? file_of_uri(text_of(value_of(uri_, scope)), folder_) : known;
}

/// The key must depend on the imported content. It already does if the file is an input.
void ImporterProgram::add_to_key(const Json& inputs, std::map<std::string, std::string>& parts) const {
  TaskProgram::add_to_key(inputs, parts);
  parts["command"] = "import";
  parts["metadata"] = compact_text(task().artifact_results[0].metadata);
  if (inputs.contains(kImportedFile)) return;
  const std::string path = source({{"inputs", inputs}});
  parts["file " + path] = manifest_of(std::filesystem::weakly_canonical(path)).tree.digest;
}

}  // namespace kml::pipeline::kfp
