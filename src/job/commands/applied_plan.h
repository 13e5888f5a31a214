#pragma once

#include <string>
#include <vector>

#include "cli/context.h"
#include "kml/job/submit/plan_file.h"

namespace kml::cli {

/// The objects that an earlier apply of a plan has created.
struct AppliedPlan {
  std::vector<Json> objects;  ///< the created objects; empty if the plan was not applied, or only in part
  std::string when;           ///< "3m ago", or "earlier, and its job has been deleted since"
};

/// Looks for the plan's jobs on the server and, because they may have been deleted, in this machine's
/// records.
AppliedPlan applied_plan(Context& context, const job::PlanFile& plan);

}  // namespace kml::cli
