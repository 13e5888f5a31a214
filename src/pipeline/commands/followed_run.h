#pragma once

#include <string>
#include <vector>

#include "cli/context.h"
#include "kml/job/logs/logs.h"
#include "pipeline/commands/run_selection.h"

namespace kml::cli {

/// A run whose logs are followed to its end. With a step's name, only the logs of this step, to its end.
class FollowedRun {
 public:
  FollowedRun(Context& context, FoundRun run, std::string step)
      : context_(context), run_(std::move(run)), step_(std::move(step)) {}

  /// Whether jobs whose logs are requested may still be created. True for each whole run, because its end
  /// decides the exit code.
  bool may_get_jobs() const;
  /// Selects the existing jobs, and those that will be created. Must outlive the selection.
  void select(job::LogSelection& selection);
  /// Prints how the run or step ended, and returns the exit code. Throws Error if it has not ended, but
  /// has no engine.
  int report() const;
  int report_interrupt() const;

 private:
  std::vector<std::string> step_names() const;
  bool has_ended() const;
  bool wants(const Json& job);
  bool read_whether_over();
  int report_steps() const;

  Context& context_;
  FoundRun run_;
  const std::string step_;
};

}  // namespace kml::cli
