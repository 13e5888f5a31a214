#include "pipeline/kfp/task_steps.h"

#include <memory>

#include "kml/base/error.h"
#include "kml/base/text.h"
#include "pipeline/kfp/placeholders.h"
#include "pipeline/kfp/program.h"

namespace kml::pipeline::kfp {

namespace {

std::vector<std::string> words_at(const Json& object, const char* key) {
  std::vector<std::string> words;
  for (const Json& word : array_at(object, {key})) words.push_back(text_of(word));
  return words;
}

/// Rejects `InputPath(str)`. It is compiled to a parameter, but the SDK's executor expects an artifact, and
/// fails after its start (kubeflow/pipelines#10378).
void check_paths(const std::string& source, const TaskProgram::Task& task, const std::string& path,
                 render::Problems& problems) {
  for (const Argument& argument : task.parameters)
    if (contains(source, argument.name + ": InputPath(") ||
        contains(source, argument.name + ": dsl.InputPath("))
      refuse(
          problems, path + ".inputs.parameters." + argument.name,
          "kfp compiles InputPath() of this type to a parameter, and its executor then fails with \"Failed "
          "to get input artifact path\"; declare it as " +
              argument.name + ": str, or as an artifact: Input[Artifact]");
}

/// "createPvc" or "deletePvc" if the SDK uses this image to mark such a task; empty for other images.
std::string claim_task(const std::string& image) {
  return image == "argostub/createpvc" ? "createPvc" : image == "argostub/deletepvc" ? "deletePvc" : "";
}

class LeafReader {
 public:
  LeafReader(const LeafTask& leaf, const Compiled& compiled, const std::string& folder,
             render::Problems& problems)
      : leaf_(leaf), compiled_(compiled), folder_(folder), problems_(problems) {}

  Step read() {
    step_.name = leaf_.name;
    step_.settings.kind = yaml::Kind::mapping;
    inputs();
    outputs();
    retries();
    caching();
    executor();
    return std::move(step_);
  }

 private:
  void inputs() {
    const Json& definitions = object_at(leaf_.component, {"inputDefinitions"});
    for (const auto& [name, input] : object_at(definitions, {"parameters"}).items()) {
      const std::string type = string_at(input, {"parameterType"});
      if (type == "TASK_CONFIG" || type.empty())
        wrong("inputs.parameters." + name, "kml does not support parameters of the type \"" + type + "\"");
      argument(name, type, "", bool_at(input, {"isOptional"}), task_.parameters);
    }
    for (const auto& [name, input] : object_at(definitions, {"artifacts"}).items())
      argument(name, string_at(input, {"artifactType", "schemaTitle"}),
               string_at(input, {"artifactType", "schemaVersion"}), bool_at(input, {"isOptional"}),
               task_.artifacts);
  }

  void argument(const std::string& name, const std::string& type, const std::string& version,
                bool is_optional, std::vector<Argument>& arguments) {
    const auto given = leaf_.inputs.find(name);
    if (given == leaf_.inputs.end()) {
      if (!is_optional) wrong("inputs", "input \"" + name + "\" has no value");
      return;
    }
    Argument argument{name, type, given->second, version};
    add_inputs(argument.binding, name, is_optional, step_);
    if (argument.binding.kind == Binding::Kind::status) step_.is_cached = false;
    arguments.push_back(std::move(argument));
  }

  void outputs() {
    const Json& definitions = object_at(leaf_.component, {"outputDefinitions"});
    for (const auto& [name, output] : object_at(definitions, {"parameters"}).items()) {
      task_.parameter_results.push_back({name, string_at(output, {"parameterType"})});
      step_.outputs.push_back({name, OutputKind::value});
    }
    for (const auto& [name, output] : object_at(definitions, {"artifacts"}).items()) {
      if (bool_at(output, {"isArtifactList"}))
        wrong("outputs.artifacts." + name, "kml does not support \"isArtifactList\" for an output");
      const std::string type = string_at(output, {"artifactType", "schemaTitle"});
      task_.artifact_results.push_back({name, type, string_at(output, {"artifactType", "schemaVersion"}),
                                        object_at(output, {"metadata"})});
      step_.outputs.push_back({name, kind_of_artifact(type)});
    }
  }

  void retries() {
    const Json& policy = object_at(leaf_.task, {"retryPolicy"});
    check_fields(policy, {"maxRetryCount", "backoffDuration", "backoffFactor", "backoffMaxDuration"},
                 leaf_.path + ".retryPolicy", problems_);
    step_.retries = static_cast<int>(int_at(policy, {"maxRetryCount"}));
    step_.backoff = seconds_at(policy, "backoffDuration");
    if (const Json* factor = find(policy, {"backoffFactor"}); factor && factor->is_number())
      step_.backoff_factor = *factor;
    if (const auto most = seconds_at(policy, "backoffMaxDuration"); most.count() > 0)
      step_.backoff_most = most;
  }

  /// Reads a Duration in the form that protobuf prints: "2s" or "0.5s".
  std::chrono::seconds seconds_at(const Json& policy, const char* key) {
    const std::string text = string_at(policy, {key});
    if (text.empty()) return {};
    const Json number = Json::parse(text.substr(0, text.size() - 1), nullptr, false);
    if (!text.ends_with('s') || !number.is_number()) {
      wrong(std::string("retryPolicy.") + key, "\"" + text + "\" is not a duration such as \"2s\"");
      return {};
    }
    return std::chrono::seconds(static_cast<long long>(number.get<double>() + 0.999));
  }

  void caching() {
    const Json& options = object_at(leaf_.task, {"cachingOptions"});
    check_fields(options, {"enableCache", "cacheKey"}, leaf_.path + ".cachingOptions", problems_);
    step_.is_cached = step_.is_cached && bool_at(options, {"enableCache"});
    step_.salt.text = string_at(options, {"cacheKey"});
  }

  void executor() {
    const std::string label = string_at(leaf_.component, {"executorLabel"});
    const Json* executor = find(compiled_.spec, {"deploymentSpec", "executors", label});
    if (!executor) return wrong("", "deploymentSpec.executors has no \"" + label + "\"");
    executor_path_ = "deploymentSpec.executors." + label;
    check_fields(*executor, {"container", "importer"}, leaf_.path + ": " + executor_path_, problems_);
    if (const Json* container = find(*executor, {"container"}))
      this->container(*container, object_at(compiled_.kubernetes, {label}), label);
    else if (const Json* importer = find(*executor, {"importer"}))
      this->importer(*importer);
  }

  void container(const Json& container, const Json& kubernetes, const std::string& label) {
    const std::string path = leaf_.path + ": " + executor_path_;
    if (const std::string task = claim_task(string_at(container, {"image"})); !task.empty())
      return claim(task == "deletePvc");
    check_fields(container, {"image", "command", "args", "env", "resources"}, path + ".container", problems_);
    read_settings({container, path + ".container", kubernetes,
                   leaf_.path + ": platforms.kubernetes.deploymentSpec.executors." + label},
                  leaf_, step_, problems_);
    std::vector<std::string> words = words_at(container, "command");
    if (words.empty())
      refuse(problems_, path + ".container.command",
             "the component has no command, only an image; kml does not run the image's own command");
    if (words.size() > 1) check_paths(words.back(), task_, leaf_.path, problems_);
    for (std::string& argument : words_at(container, "args")) words.push_back(std::move(argument));
    check_placeholders(words, path);
    step_.program = std::make_shared<ContainerProgram>(std::move(task_), std::move(words));
  }

  /// The step is not cached, because each run makes a new claim or finds the existing one.
  void claim(bool removes) {
    step_.is_cached = false;
    step_.program = std::make_shared<ClaimProgram>(std::move(task_), removes);
  }

  /// Rejects placeholders that no run of kml can fill in.
  void check_placeholders(const std::vector<std::string>& words, const std::string& path) {
    for (const std::string& word : words)
      for (const char* name : {"pipeline_root", "workspace_path"})
        if (contains(word, std::string("{{$.") + name))
          refuse(problems_, path, std::string("kml does not support the placeholder \"") + name + "\"");
  }

  void importer(const Json& importer) {
    const std::string path = leaf_.path + ": " + executor_path_ + ".importer";
    check_fields(importer, {"artifactUri", "typeSchema", "metadata", "reimport"}, path, problems_);
    const auto uri = leaf_.inputs.find("uri");
    Binding source = uri != leaf_.inputs.end()
                         ? uri->second
                         : constant(object_at(importer, {"artifactUri"}).value("constant", Json()));
    if (source.kind == Binding::Kind::constant && !source.is_made) known_file(source, path);
    if (task_.artifact_results.size() != 1) return wrong("outputs", "an importer makes one artifact");
    if (task_.parameters.empty() || uri == leaf_.inputs.end())
      add_inputs(source, "uri", false, step_);
    else
      source = task_.parameters[0].binding;
    task_.artifact_results[0].metadata.update(object_at(importer, {"metadata"}));
    step_.program = std::make_shared<ImporterProgram>(std::move(task_), std::move(source), folder_);
  }

  /// Makes the file an input of the step. A compiled file is read before its values, so a URI may have no
  /// value yet. Not for a URI that a step makes: that file is not known before the run, and cannot be sent to
  /// a cluster.
  void known_file(const Binding& source, const std::string& path) {
    const std::string text = source.value.is_null() ? "uri" : text_of(source.value);
    if (contains(text, "://") && !text.starts_with("file://"))
      return refuse(problems_, path + ".artifactUri",
                    "kml cannot import " + text + "; it can import only files and folders on this machine");
    Input file{.name = std::string(StepProgram::kImportedFile), .sources = {}};
    file.path = file_of_uri(text, "");
    step_.inputs.push_back(std::move(file));
  }

  void wrong(const std::string& field, std::string text) {
    refuse(problems_, field.empty() ? leaf_.path : leaf_.path + "." + field, std::move(text));
  }

  const LeafTask& leaf_;
  const Compiled& compiled_;
  const std::string folder_;
  render::Problems& problems_;
  Step step_{};
  TaskProgram::Task task_;
  std::string executor_path_;
};

}  // namespace

Step step_of(const LeafTask& leaf, const Compiled& compiled, const std::string& folder,
             render::Problems& problems) {
  return LeafReader(leaf, compiled, folder, problems).read();
}

}  // namespace kml::pipeline::kfp
