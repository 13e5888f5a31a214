#pragma once

#include <string>
#include <vector>

#include "pod/hang/looks.h"
#include "pod/hang/rank_state.h"

namespace kml::pod {

/// The ranks in words: "rank 7", "ranks 0-6", "ranks 0-2,5", or "pod x7f2q" for a pod without a number.
std::string ranks_in_words(const JobLook& look, const std::vector<size_t>& places);

/// A rank's activity: "waits for input: read /data/shard-3, pipe_read".
std::string in_words(const RankState& state);

/// A space, and the verb for this number of ranks: " waits" or " wait".
std::string verb(const std::vector<size_t>& places, const char* of_one, const char* of_many);

}  // namespace kml::pod
