#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/submit_request.h"
#include "kml/jobs/git_state.h"

namespace kml::cli {

/// The record of one submit: what is to be sent is kept before, what became of it after.
class SubmitRecord {
 public:
  /// Asks git meanwhile, which takes as long as the rest of a submit.
  explicit SubmitRecord(Context& context);

  /// Before anything is sent, so that no job is ever without its record. Throws Error where it cannot be
  /// kept.
  void begin(const Prepared& prepared, const std::vector<std::string>& command);
  /// `made` are the objects that were made, each as job_key() names it; none where that is not known, and
  /// `kml history` asks for the run later. What cannot be kept is only noted: the jobs are there.
  void end(const std::optional<std::vector<std::string>>& made);

 private:
  Context& context_;
  jobs::GitState git_;
  std::string run_id_;
};

}  // namespace kml::cli
