#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kml/sweep/journal/record.h"

namespace kml::sweep {

struct Replay {
  std::uint64_t proposals = 0;
  std::vector<std::string> differences;  ///< the differences, with one line for each
};

/// Asks the sampler again for each trial in a journal, with the records before that trial, and compares the
/// points.
Replay replay(const std::vector<Record>& records);

}  // namespace kml::sweep
