#pragma once

#include <string>
#include <vector>

#include "kml/pipeline/language/pipeline.h"
#include "kml/pipeline/language/step_program.h"
#include "pipeline/kfp/binding.h"

namespace kml::pipeline::kfp {

/// An input of a task.
struct Argument {
  std::string name;
  std::string type;  ///< the type of a parameter ("NUMBER_INTEGER"), or the schemaTitle of an artifact
  Binding binding;
  std::string version = {};  ///< an artifact's schemaVersion
};

/// An output of a task.
struct Result {
  std::string name;
  std::string type;
  std::string version = {};
  Json metadata = Json::object();  ///< metadata that the artifact always gets
};

/// The kind of an artifact, judging by its schemaTitle ("system.Model").
OutputKind kind_of_artifact(const std::string& type);

/// The common part of containers, importers and claims: the inputs on which the result depends, and the
/// outputs.
class TaskProgram : public StepProgram {
 public:
  struct Task {
    std::vector<Argument> parameters, artifacts;
    std::vector<Result> parameter_results, artifact_results;
  };

  explicit TaskProgram(Task task) : task_(std::move(task)) {}

  void add_to_key(const Json& inputs, std::map<std::string, std::string>& parts) const override;
  Json made_by(const Step& step, const render::Scope& scope, const Leavings& left) const override;

 protected:
  const Task& task() const { return task_; }

 private:
  Json metadata_of(const Result& result, const render::Scope& scope) const;

  const Task task_;
};

/// A container's command.
class ContainerProgram final : public TaskProgram {
 public:
  /// `words` are the command and its arguments, which may contain placeholders.
  ContainerProgram(Task task, std::vector<std::string> words);

  std::vector<std::string> command(const render::Scope& scope, Where where) const override;
  void add_to_key(const Json& inputs, std::map<std::string, std::string>& parts) const override;
  void add_here_to_key(std::map<std::string, std::string>& parts) const override;

 private:
  Json executor_input(const render::Scope& scope) const;
  std::string value_of_placeholder(const std::string& name, const Json& input,
                                   const render::Scope& scope) const;

  std::vector<std::string> words_;
  std::string bootstrap_;  ///< the script that installs the command's packages; empty if there is none
};

/// The tasks of the SDK that create and delete volume claims.
class ClaimProgram final : public TaskProgram {
 public:
  ClaimProgram(Task task, bool removes) : TaskProgram(std::move(task)), removes_(removes) {}

  std::vector<std::string> command(const render::Scope& /*scope*/, Where /*where*/) const override {
    return {};
  }
  bool is_of_object() const override { return true; }
  Json object(const render::Scope& scope) const override;
  bool removes_object() const override { return removes_; }

 private:
  const bool removes_;
};

/// The path of the file in a URI. Throws usage Error if the URI is not on this machine.
std::string file_of_uri(std::string uri, const std::string& folder);

/// Turns a file or folder on this machine into an artifact.
class ImporterProgram final : public TaskProgram {
 public:
  /// If the step has no input kImportedFile, `uri` is the path, which may be relative to `folder`.
  ImporterProgram(Task task, Binding uri, std::string folder)
      : TaskProgram(std::move(task)), uri_(std::move(uri)), folder_(std::move(folder)) {}

  std::vector<std::string> command(const render::Scope& scope, Where where) const override;
  void add_to_key(const Json& inputs, std::map<std::string, std::string>& parts) const override;
  bool is_import() const override { return true; }

 private:
  std::string source(const render::Scope& scope) const;

  const Binding uri_;
  const std::string folder_;
};

}  // namespace kml::pipeline::kfp
