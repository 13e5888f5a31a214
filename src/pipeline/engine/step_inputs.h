#pragma once

#include <string>

#include "kml/base/json.h"
#include "kml/pipeline/engine/cache.h"
#include "kml/pipeline/language/pipeline.h"
#include "pipeline/engine/live_run.h"

namespace kml::pipeline {

/// The inputs of a run's steps, from other steps and from outside, and the values in their conditions.
class StepInputs {
 public:
  /// The arguments must outlive this object.
  StepInputs(const LiveRun& run, const Cache& cache) : run_(run), cache_(cache) {}

  /// The first source that exists, or nullptr.
  const Source* source_of(const Input& input) const;
  /// A source that is needed but missing, or nullptr.
  const Source* missing_of(const Input& input) const;
  /// By name: {"digest", "path", ...} or {"value"}, or a list of these.
  Json of(const Step& step) const;
  /// Why the step's condition does not hold; empty if it holds or if there is none.
  std::string unmet_condition(const Step& step) const;

 private:
  bool has_made(const Source& source) const;
  bool holds(const Step& step) const;
  Json value_of(const std::string& name) const;

  const LiveRun& run_;
  const Cache& cache_;
};

}  // namespace kml::pipeline
