#pragma once

#include <optional>
#include <string>

#include "pod/hang/looks.h"

namespace kml::pod {

/// Finds threads in a rank, in one process or several, each of which waits forever for something that the
/// next one holds. Their stacks (for a file lock, the states of their processes) must be the same in both
/// samples. Describes them as: `thread "a" waits for lock_b at f x.py:9, held by thread "b"; …`.
std::optional<std::string> deadlock_in(const RankLook& rank);

/// "f x.py:9".
std::string in_source(const Frame& frame);

}  // namespace kml::pod
