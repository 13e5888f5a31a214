#include "sweep/runner/sweep_engine.h"

#include <string>
#include <utility>
#include <vector>

#include "job/submit/gangs.h"
#include "kml/job/views/kinds.h"

namespace kml::sweep {

/// The rights that the runners in this folder and the copy of the journal need. They do not include the right
/// to read Secrets.
engine::EngineProgram sweep_engine(const SweepMarks& sweep, const api::ResourceKind& kind, bool are_gangs) {
  std::vector<std::string> kinds = {std::string(kind.group) + "/" + std::string(kind.plural)};
  if (are_gangs) kinds.emplace_back(job::kPodGroups);
  Json rules = engine::engine_rules(engine_marks(sweep), kinds);
  // a trial of an unknown kind is stopped by deleting it
  if (!job::is_job_kind(kind)) rules[0]["verbs"].push_back("delete");
  return {{"kml", "sweep", "engine", sweep.name}, std::move(rules)};
}

}  // namespace kml::sweep
