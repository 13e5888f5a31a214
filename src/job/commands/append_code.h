#pragma once

#include <string>

#include "cli/command.h"
#include "cli/context.h"
#include "kml/job/submit/submit.h"

namespace kml::cli {

/// The flags of submit that put the code into a new image.
struct AppendFlags {
  std::string target, platform;
  bool is_insecure = false;
};

void add_append_flags(Command& command, AppendFlags& flags);

/// Makes an image from the request's image and code, and lets the request use it instead of both. With
/// `is_dry_run`, only computes its name. Throws usage Error if the request has no image, no code, or
/// manifests, or is for this machine.
class CodeInImage {
 public:
  CodeInImage(Context& context, const AppendFlags& flags, job::SubmitRequest& request, bool is_dry_run);
  /// Completes the plan of that request, so that the run's record names the folder with the code.
  void complete(job::SubmitPlan& plan) const;

 private:
  std::string folder_, note_;
};

}  // namespace kml::cli
