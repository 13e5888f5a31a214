#pragma once

#include <string>
#include <vector>

#include "kml/core/error.h"
#include "kml/core/json.h"
#include "kml/sweep/engine/runner.h"
#include "kml/sweep/spec/sweep_spec.h"

namespace kml::sweep {

/// Why a sweep's trials cannot go out as one Indexed Job, each with the path of what is in the way; empty
/// if they can. All its points have to be known beforehand, Kubernetes begins and retries them, and all
/// its pods are made of one template.
std::vector<Problem> obstacles_to_indexed(const SweepSpec& spec);

/// The trials of a sweep as one Indexed Job. All its pods have the same command: a shell that takes the line
/// of its index out of a table, and then runs the trial's own command with the holes filled in (see
/// TrialTemplate). The image needs sh and sed.
class IndexedTemplate {
 public:
  /// Of a sweep without obstacles. `spec` must outlive it.
  explicit IndexedTemplate(const SweepSpec& spec);

  /// The trial's line, without its end: assignments of shell variables.
  std::string line(const TrialJob& job) const;

  /// The Job of a trial, its containers wrapped. `maps` are ConfigMaps with `lines` lines each, in the key
  /// "trials"; they are mounted in `folder`.
  Json wrapped(const Json& trial, const std::string& folder, const std::vector<std::string>& maps,
               size_t lines) const;

 private:
  const SweepSpec& spec_;
  std::vector<std::string> columns_;  ///< names of holes, after the trial's number
};

}  // namespace kml::sweep
