#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kml/core/json.h"
#include "kml/pipeline/store.h"
#include "kml/render/evaluate.h"

namespace kml::pipeline {

struct Step;

/// What a step runs where its command is not in the file's own words: a task of a compiled pipeline. Its
/// scope has, besides that of other steps:
///
///     inputs   as Engine has them: by name {"path", "digest", ...}, or {"value"}
///     after    of each step in `after`: {"phase", "cause"}
///     run      also "id" and "began"
///     out      also a path for kResultFile
class StepProgram {
 public:
  /// What the program may write beside its outputs, and says more about them.
  static constexpr std::string_view kResultFile = "executor_output.json";

  virtual ~StepProgram() = default;
  /// Inputs that the scope lacks are as if nothing had made them. Throws Error (usage).
  virtual std::vector<std::string> command(const render::Scope& scope) const = 0;
  /// What decides its result besides the step's settings, inputs and outputs (see KeyParts). Throws Error if
  /// a file that it depends on cannot be read.
  virtual void add_to_key(const Json& inputs, std::map<std::string, std::string>& parts) const = 0;
  /// See StepRunner::made_by().
  virtual Json made_by(const Step& step, const render::Scope& scope, const LocalStore& store) const = 0;
};

}  // namespace kml::pipeline
