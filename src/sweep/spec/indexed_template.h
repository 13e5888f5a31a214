#pragma once

#include <string>
#include <vector>

#include "kml/base/error.h"
#include "kml/base/json.h"
#include "kml/sweep/spec/sweep_spec.h"
#include "kml/sweep/trial/runner.h"

namespace kml::sweep {

/// Why a sweep's trials cannot run as one Indexed Job: a problem with a path for each reason; empty if they
/// can. Kubernetes starts and retries the trials and all pods share one template, so all points must be known
/// before.
std::vector<Problem> obstacles_to_indexed(const SweepSpec& spec);

/// Runs the trials of a sweep as one Indexed Job. All its pods run the same shell command. It reads the line
/// of its index from a table and then runs the trial's command with the placeholders filled in (see
/// TrialTemplate). The image needs sh and sed.
class IndexedTemplate {
 public:
  /// `spec` must have no obstacles_to_indexed(), and must outlive this object.
  explicit IndexedTemplate(const SweepSpec& spec);

  /// The trial's line in the table, without a newline: assignments of shell variables.
  std::string line(const TrialJob& job) const;

  /// The Job with its containers' commands wrapped. `maps` are names of ConfigMaps, mounted in `folder`; each
  /// has `lines` lines of the table in the key "trials".
  Json wrapped(const Json& trial, const std::string& folder, const std::vector<std::string>& maps,
               size_t lines) const;

 private:
  const SweepSpec& spec_;
  std::vector<std::string> columns_;  ///< names of the placeholders in a line of the table
};

}  // namespace kml::sweep
