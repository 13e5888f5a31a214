#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kml/core/json.h"
#include "kml/sweep/journal/sweep_state.h"
#include "kml/sweep/space/space.h"

namespace kml::sweep {

/// Results of earlier trials that teach a sweep, without being of it: the entries of spec.warmStart, each
/// {values: {lr: 0.01}, value: 0.93, outcome: complete, curve: [[1, 0.8], [2, 0.93]]}.
struct WarmStart {
  Json entries = Json::array();
  size_t outside = 0;  ///< trials left out: their values are outside the new space
};

/// An earlier sweep's trials for a space of parameters, some of which it may have had. Those without a result
/// teach nothing, nor do parameters that the new space has not.
WarmStart warm_start_of(const SweepState& earlier, const Space& space);

/// The same from a file as `kml sweep export` writes it, JSON lines or CSV, whose column `metric` has the
/// results. Throws usage Error for a line that is neither.
WarmStart warm_start_of_file(std::string_view text, const std::string& source, const std::string& metric,
                             const Space& space);

/// What samplers see of the entries; they are points of the space. Throws usage Error if one is not.
std::vector<Observation> observations_of(const Json& entries, const Space& space, const Objective& objective);

}  // namespace kml::sweep
