#pragma once

#include "cli/context.h"
#include "cli/submit_request.h"
#include "kml/core/json.h"

namespace kml::cli {

/// The job of one trial, without its name.
struct TrialOfSweep {
  Json manifest;
  std::vector<jobs::Belonging> secrets;  ///< for all trials
  std::vector<std::string> notes;        ///< for the user
};

/// What submit would send for the flags, laid over `manifest` where that is an object, else over a template;
/// what it brings along is named after the sweep. Throws Error (usage).
TrialOfSweep trial_of(Context& context, SubmitFlags flags, const std::string& sweep, const Json& manifest);

}  // namespace kml::cli
