#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/context.h"
#include "kml/jobs/streams/port_forward.h"
#include "kml/jobs/streams/running_rank.h"

namespace kml::cli {

/// The word of commands that act inside one pod of a job.
inline constexpr const char* kJobAndRank = "JOB[/RANK]";

/// Takes JOB[/RANK], and nothing else.
void takes_rank(Command& command, std::vector<std::string>& names);
void takes_container(Command& command, std::string& container);

/// The running ranks of what was typed: "bert/3", or all those of "bert". See jobs::running_ranks(). If no
/// job has the name, the pods of what `kml serve` runs under it.
std::vector<jobs::RunningRank> named_ranks(Context& context, const std::string& typed,
                                           const std::string& container = {});

/// The only one, or the first of several, which a note names.
jobs::RunningRank named_rank(Context& context, const std::string& typed, const std::string& container = {});

/// Finds the rank's current pod again: the same rank, even if `typed` names none and another one would be the
/// first now. `context` must outlive it.
jobs::PortForward::Find same_rank(Context& context, const std::string& typed, const jobs::RunningRank& rank);

/// Forwards until Ctrl-C. Returns the exit code.
int forward_until_interrupted(jobs::PortForward& forward, const jobs::Interrupt& interrupt);

}  // namespace kml::cli
