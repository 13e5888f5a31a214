#pragma once

#include <string>

#include "kml/base/json.h"
#include "kml/pipeline/engine/cache.h"
#include "kml/pipeline/language/pipeline.h"
#include "pipeline/engine/live_run.h"

namespace kml::pipeline {

/// The inputs of a run's steps, from other steps and from outside, and the values that conditions use.
class StepInputs {
 public:
  /// The arguments must outlive this object.
  StepInputs(const LiveRun& run, const Cache& cache) : run_(run), cache_(cache) {}

  /// The first source that exists; nullptr if none does.
  const Source* source_of(const Input& input) const;
  /// A source that is required but missing; nullptr if there is none.
  const Source* missing_of(const Input& input) const;
  /// The inputs by name: {"digest", "path", ...}, {"value"}, or a list of these.
  Json of(const Step& step) const;
  /// Why the step's condition does not hold; empty if it holds or the step has none.
  std::string unmet_condition(const Step& step) const;

 private:
  bool has_made(const Source& source) const;
  bool holds(const Step& step) const;
  Json value_of(const std::string& name) const;

  const LiveRun& run_;
  const Cache& cache_;
};

}  // namespace kml::pipeline
