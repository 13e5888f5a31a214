#include "sweep/runner/sweep_engine.h"

#include <string>
#include <utility>

#include "kml/job/views/kinds.h"

namespace kml::sweep {

/// The rights that the runners in this folder and the copy of the journal need. They do not include the right
/// to read Secrets.
engine::EngineProgram sweep_engine(const SweepMarks& sweep, const api::ResourceKind& kind) {
  Json rules =
      engine::engine_rules(engine_marks(sweep), {std::string(kind.group) + "/" + std::string(kind.plural)});
  // a trial of an unknown kind is stopped by deleting it
  if (!job::is_job_kind(kind)) rules[0]["verbs"].push_back("delete");
  return {{"kml", "sweep", "engine", sweep.name}, std::move(rules)};
}

}  // namespace kml::sweep
