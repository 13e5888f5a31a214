#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/json.h"
#include "kml/job/render/evaluate.h"

namespace kml::pipeline {

struct Step;
struct Output;

/// The place where a command runs.
enum class Where {
  here,  ///< the command runs on this machine, without its image
  pod,   ///< the command runs in its image, on a cluster
};

/// The files that a program has left behind in the place where it ran.
class Leavings {
 public:
  virtual ~Leavings() = default;
  /// The text of a value, or of StepProgram::kResultFile; empty if the program did not write the file.
  virtual std::optional<std::string> text(const std::string& output) const = 0;
  /// The description of a file or folder, in the form of StepRunner::made_by(). Describes an empty file if
  /// the program wrote nothing. `elsewhere` is the place that the program reported, or empty. Throws Error if
  /// the files cannot be read from there.
  virtual Json tree(const Output& output, const std::string& elsewhere) const = 0;
};

/// Computes the command of a step if the file does not contain it literally: for tasks of a compiled
/// pipeline. The scope of such a step has the values that the scope of any step has, and in addition:
///
///     inputs   as in Engine: by name {"path", "digest", ...}, or {"value"}
///     after    for each step in `after`: {"phase", "cause"}
///     run      also "id" and "began"
///     out      also a path for kResultFile
class StepProgram {
 public:
  /// The name of an additional file in which the program may describe its outputs.
  static constexpr std::string_view kResultFile = "executor_output.json";

  virtual ~StepProgram() = default;
  /// Returns the command. Inputs that the scope does not have are treated as not made. Throws Error (usage).
  virtual std::vector<std::string> command(const render::Scope& scope, Where where) const = 0;
  /// Adds the parts of the key (see KeyParts) that do not come from the step's settings, inputs and outputs.
  /// Throws Error if a file on which the result depends cannot be read.
  virtual void add_to_key(const Json& inputs, std::map<std::string, std::string>& parts) const = 0;
  /// Adds the parts of the key that matter only if the step runs on this machine.
  virtual void add_here_to_key(std::map<std::string, std::string>& /*parts*/) const {}
  /// See StepRunner::made_by().
  virtual Json made_by(const Step& step, const render::Scope& scope, const Leavings& left) const = 0;
  /// Whether the step only copies its input kImportedFile, a file on this machine whose path is known before
  /// the run. In a cluster, kml copies the file itself.
  virtual bool is_import() const { return false; }
  /// Whether the step has no job, but a manifest of an object that kml creates or removes on the server.
  virtual bool is_of_object() const { return false; }
  virtual Json object(const render::Scope& /*scope*/) const { return {}; }
  virtual bool removes_object() const { return false; }
  static constexpr std::string_view kImportedFile = "imported-file";
};

}  // namespace kml::pipeline
