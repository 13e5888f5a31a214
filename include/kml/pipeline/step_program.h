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

/// Computes the command of a step if the file does not contain it literally: for tasks of a compiled
/// pipeline. Its scope has the same values as that of other steps, and in addition:
///
///     inputs   as in Engine: by name {"path", "digest", ...}, or {"value"}
///     after    for each step in `after`: {"phase", "cause"}
///     run      also "id" and "began"
///     out      also a path for kResultFile
class StepProgram {
 public:
  /// An additional file in which the program may describe its outputs.
  static constexpr std::string_view kResultFile = "executor_output.json";

  virtual ~StepProgram() = default;
  /// Treats inputs that are missing from the scope as not made. Throws Error (usage).
  virtual std::vector<std::string> command(const render::Scope& scope) const = 0;
  /// Adds the parts of the key (see KeyParts) besides the step's settings, inputs and outputs. Throws Error
  /// if a file on which the result depends cannot be read.
  virtual void add_to_key(const Json& inputs, std::map<std::string, std::string>& parts) const = 0;
  /// See StepRunner::made_by().
  virtual Json made_by(const Step& step, const render::Scope& scope, const LocalStore& store) const = 0;
};

}  // namespace kml::pipeline
