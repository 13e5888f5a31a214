#pragma once

#include <string>
#include <vector>

#include "cli/context.h"
#include "kml/jobs/streams/running_rank.h"

namespace kml::cli {

/// The word of commands that act inside one pod of a job.
inline constexpr const char* kJobAndRank = "JOB[/RANK]";

/// The running ranks of what was typed: "bert/3", or all those of "bert". See jobs::running_ranks().
std::vector<jobs::RunningRank> named_ranks(Context& context, const std::string& typed,
                                           const std::string& container = {});

/// The only one, or the first of several, which a note names.
jobs::RunningRank named_rank(Context& context, const std::string& typed, const std::string& container = {});

}  // namespace kml::cli
