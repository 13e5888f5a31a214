#pragma once

#include "cli/context.h"
#include "kml/jobs/submit/submit.h"

namespace kml::cli {

/// `--test-only`: prints what a submit would come to, and makes nothing. Throws Error if it would be
/// refused or could not run.
int test_only(Context& context, const jobs::SubmitPlan& plan);

/// Throws Error if the server would refuse these objects, or they could not run; silent otherwise.
void refuse_impossible(Context& context, const std::vector<Json>& objects,
                       const std::vector<jobs::Belonging>& belongings = {});

/// Before a submit: throws Error if its jobs certainly never run, in a few requests at most.
void refuse_hopeless(Context& context, const jobs::SubmitPlan& plan);

}  // namespace kml::cli
