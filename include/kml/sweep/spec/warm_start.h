#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kml/core/json.h"
#include "kml/sweep/journal/sweep_state.h"
#include "kml/sweep/space/space.h"

namespace kml::sweep {

/// Results of earlier trials that a sweep learns from but does not count as its own: the entries of
/// spec.warmStart, each {values: {lr: 0.01}, value: 0.93, outcome: complete, curve: [[1, 0.8], [2, 0.93]]}.
struct WarmStart {
  Json entries = Json::array();
  size_t outside = 0;  ///< trials left out: their values are outside the new space
};

/// Converts an earlier sweep's trials to a new space, which may share only some parameters. Leaves out trials
/// without a result, and parameters that are not in the new space.
WarmStart warm_start_of(const SweepState& earlier, const Space& space);

/// The same from a file that `kml sweep export` wrote, as JSON lines or CSV. The column `metric` has the
/// results. Throws usage Error for an invalid line.
WarmStart warm_start_of_file(std::string_view text, const std::string& source, const std::string& metric,
                             const Space& space);

/// The entries as observations for samplers. Throws usage Error if an entry is not a point of the space.
std::vector<Observation> observations_of(const Json& entries, const Space& space, const Objective& objective);

}  // namespace kml::sweep
