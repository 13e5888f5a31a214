#include "kml/jobs/sweep/sweep_engine.h"

namespace kml::jobs {

/// The rights that the runners in this folder and the copy of the journal need. They do not include reading
/// Secrets.
EngineProgram sweep_engine(const SweepMarks& sweep, const Json& trial) {
  const api::ResourceKind* kind = api::kind_of(trial);
  const std::string kinds =
      kind ? std::string(kind->group) + "/" + std::string(kind->plural) : std::string("batch/jobs");
  return {{"kml", "sweep", "engine", sweep.name}, engine_rules(engine_marks(sweep), {kinds})};
}

}  // namespace kml::jobs
