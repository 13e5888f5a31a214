#pragma once

#include <string>

#include "cli/context.h"
#include "kml/job/submit/submit.h"

namespace kml::cli {

/// `--test-only`: prints what a submit would do, and creates nothing. Throws Error if the submit would be
/// rejected or the jobs could not run.
int test_only(Context& context, const job::SubmitPlan& plan);

/// Throws Error if the server would reject these objects or they could never run. Prints nothing otherwise.
void refuse_impossible(Context& context, const std::vector<Json>& objects,
                       const std::vector<job::Belonging>& belongings = {});

/// Called before a submit, or before a Deployment of `kml serve` is created. Throws Error if the objects
/// certainly cannot run. The fix ends with `way_on`: how to submit them anyway, or nothing. Makes only a few
/// requests.
void refuse_hopeless(Context& context, const std::vector<Json>& objects,
                     const std::vector<job::Belonging>& belongings, const std::string& way_on);

}  // namespace kml::cli
