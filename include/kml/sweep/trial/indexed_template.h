#pragma once

#include <string>
#include <vector>

#include "kml/core/error.h"
#include "kml/core/json.h"
#include "kml/sweep/engine/runner.h"
#include "kml/sweep/spec/sweep_spec.h"

namespace kml::sweep {

/// Why a sweep's trials cannot run as one Indexed Job, each reason with a path; empty if they can. All points
/// must be known beforehand, because Kubernetes starts and retries the trials, and all pods share one
/// template.
std::vector<Problem> obstacles_to_indexed(const SweepSpec& spec);

/// The trials of a sweep as one Indexed Job. All its pods run the same shell command, which reads its index's
/// line from a table and then runs the trial's command with the placeholders filled in (see TrialTemplate).
/// The image needs sh and sed.
class IndexedTemplate {
 public:
  /// The sweep must have no obstacles. `spec` must outlive this object.
  explicit IndexedTemplate(const SweepSpec& spec);

  /// The trial's line, without a newline: assignments of shell variables.
  std::string line(const TrialJob& job) const;

  /// The Job, with its containers wrapped. `maps` are ConfigMaps with `lines` lines each in the key "trials",
  /// mounted in `folder`.
  Json wrapped(const Json& trial, const std::string& folder, const std::vector<std::string>& maps,
               size_t lines) const;

 private:
  const SweepSpec& spec_;
  std::vector<std::string> columns_;  ///< names of placeholders, after the trial's number
};

}  // namespace kml::sweep
