#pragma once

#include "cli/context.h"
#include "kml/job/submit/plan_file.h"
#include "kml/job/submit/submit.h"
#include "kml/serve/model/manifests.h"
#include "serve/commands/serve_options.h"

namespace kml::cli {

/// The Deployment to send. It records the pipeline run that serves it, and its inputs.
Json wanted_deployment(const Json& job, const serve::ServeSettings& settings,
                       const std::vector<std::string>& inputs);

/// Prints the objects that kml serve would send.
int print_serve_manifests(Context& context, const ServeOptions& options, const serve::ServeSettings& settings,
                          const job::SubmitPlan& job);

job::PlanFile plan_of_serve(Context& context, const ServeOptions& options,
                            const serve::ServeSettings& settings);
int write_serve_plan(Context& context, const ServeOptions& options, const serve::ServeSettings& settings,
                     const job::SubmitPlan& job);

}  // namespace kml::cli
