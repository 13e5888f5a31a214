#pragma once

#include <optional>
#include <string>

#include "pod/hang/looks.h"

namespace kml::pod {

/// Threads of a rank, of one process or of several, each of which waits without end for what the next one
/// holds. Their stacks must be the same in both looks. In words: `thread "a" waits for lock_b at f x.py:9,
/// held by thread "b"; …`.
std::optional<std::string> deadlock_in(const RankLook& rank);

/// "f x.py:9".
std::string in_source(const Frame& frame);

}  // namespace kml::pod
