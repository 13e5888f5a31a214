#pragma once

#include <string>

#include "cli/context.h"
#include "kml/job/preflight/preflight.h"
#include "kml/job/submit/submit.h"

namespace kml::cli {

/// Implements `--test-only`: prints what a submit would do, in the format `output` of -o, but creates
/// nothing. Throws Error if the submit would be rejected or the jobs could not run.
int test_only(Context& context, const job::SubmitPlan& plan, const std::string& output);

/// Checks the plan without creating anything, and prints its notes and the checks that could not be made.
/// Throws Error if the submit would be rejected or the jobs could not run.
job::Rehearsal checked(Context& context, const job::SubmitPlan& plan);

/// Throws Error if the server would reject these objects, or if they could never run. Otherwise prints
/// nothing.
void refuse_impossible(Context& context, const std::vector<Json>& objects,
                       const std::vector<job::Belonging>& belongings = {});

/// Called before a submit, and before `kml serve` creates a Deployment. Throws Error if the objects certainly
/// cannot run. The fix ends with `way_on`, which says how to submit them anyway; it may be empty. Prints
/// warnings. Sends only a few requests.
void refuse_hopeless(Context& context, const std::vector<Json>& objects,
                     const std::vector<job::Belonging>& belongings, const std::string& way_on);

}  // namespace kml::cli
