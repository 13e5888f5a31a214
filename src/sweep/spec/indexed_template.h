#pragma once

#include <string>
#include <vector>

#include "kml/base/error.h"
#include "kml/base/json.h"
#include "kml/sweep/spec/sweep_spec.h"
#include "kml/sweep/trial/runner.h"

namespace kml::sweep {

/// Why the trials of a sweep cannot run as one Indexed Job: a problem with a path for each reason. Empty if
/// they can. Kubernetes starts and retries the trials, and all pods have the same template, so all points
/// must be known in advance.
std::vector<Problem> obstacles_to_indexed(const SweepSpec& spec);

/// Runs the trials of a sweep as one Indexed Job. All its pods run the same shell command. The command reads
/// the line for the pod's index from a table, and then runs the trial's command with the placeholders filled
/// in (see TrialTemplate). The image needs sh and sed.
class IndexedTemplate {
 public:
  /// `spec` must not have obstacles_to_indexed(), and must outlive this object.
  explicit IndexedTemplate(const SweepSpec& spec);

  /// The line for the trial in the table, without a newline. It consists of assignments to shell variables.
  std::string line(const TrialJob& job) const;

  /// The Job, with the commands of those containers wrapped that have placeholders. `maps` are the names of
  /// ConfigMaps, which are mounted in `folder`. Each has `lines` lines of the table, under the key "trials".
  Json wrapped(const Json& trial, const std::string& folder, const std::vector<std::string>& maps,
               size_t lines) const;

 private:
  const SweepSpec& spec_;
  std::vector<std::string> columns_;  ///< the names of the placeholders in a line of the table
};

}  // namespace kml::sweep
