#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/json.h"
#include "kml/sweep/journal/trial.h"
#include "kml/sweep/space/space.h"
#include "kml/sweep/spec/sweep_spec.h"

namespace kml::sweep {

/// Results of earlier trials from which a sweep learns, but which are not among its own trials. They are
/// entries of spec.warmStart, each of the form {values: {lr: 0.01}, value: 0.93, outcome: complete, curve:
/// [[1, 0.8], [2, 0.93]]}.
struct WarmStart {
  Json entries = Json::array();
  size_t outside = 0;  ///< how many trials were left out because the new space does not allow their values
};

/// Converts the trials of an earlier sweep to a new space, which may have only some of its parameters. Leaves
/// out trials that have not ended, that the server rejected, or whose results were lost. Also leaves out
/// parameters that the new space lacks.
WarmStart warm_start_of(std::span<const Trial> earlier, const Space& space);

/// Like warm_start_of(), for a file written by `kml sweep export` as JSON lines or CSV. The results are in
/// the column `metric` or, in exported JSON lines, in the key "value". Throws usage Error for an invalid
/// line.
WarmStart warm_start_of_file(std::string_view text, const std::string& source, const std::string& metric,
                             const Space& space);

/// Converts the entries to observations for samplers. Throws usage Error if an entry is not a point in the
/// space, or is complete but has no value.
std::vector<Observation> observations_of(const Json& entries, const Space& space, const Objective& objective);

}  // namespace kml::sweep
