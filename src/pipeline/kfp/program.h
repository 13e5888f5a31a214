#pragma once

#include <string>
#include <vector>

#include "kml/pipeline/pipeline.h"
#include "kml/pipeline/step_program.h"
#include "pipeline/kfp/binding.h"

namespace kml::pipeline::kfp {

/// What a task is given.
struct Argument {
  std::string name;
  std::string type;  ///< of a parameter: "NUMBER_INTEGER"; of an artifact: its schemaTitle
  Binding binding;
  std::string version = {};  ///< of an artifact: its schemaVersion
};

/// What a task makes.
struct Result {
  std::string name;
  std::string type;
  std::string version = {};
  Json metadata = Json::object();  ///< that an artifact has whatever the program says
};

/// What containers and importers have in common: the inputs that decide, and the results.
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
  const Task task_;
};

/// A container's command.
class ContainerProgram final : public TaskProgram {
 public:
  /// `words` are its command and arguments with their placeholders.
  ContainerProgram(Task task, std::vector<std::string> words);

  std::vector<std::string> command(const render::Scope& scope, Where where) const override;
  void add_to_key(const Json& inputs, std::map<std::string, std::string>& parts) const override;
  void add_here_to_key(std::map<std::string, std::string>& parts) const override;

 private:
  Json executor_input(const render::Scope& scope) const;
  std::string value_of_placeholder(const std::string& name, const Json& input,
                                   const render::Scope& scope) const;

  std::vector<std::string> words_;
  std::string bootstrap_;  ///< the script that installs its packages; empty if it has none
};

/// What the SDK has for making a volume claim, and for removing one.
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

/// The file that a URI names. Throws usage Error for one that is not of this machine.
std::string file_of_uri(std::string uri, const std::string& folder);

/// A file or a folder of this machine becomes an artifact.
class ImporterProgram final : public TaskProgram {
 public:
  /// `uri` is what gives the place where the step has no input kImportedFile; `folder` is what it is relative
  /// to.
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
