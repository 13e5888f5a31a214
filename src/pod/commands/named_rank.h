#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/context.h"
#include "kml/pod/streams/running_rank.h"
#include "pod/streams/port_forward.h"

namespace kml::cli {

/// The argument of commands that act in the pods of a job.
inline constexpr const char* kJobAndRank = "JOB[/RANK]";

/// Declares JOB[/RANK] as the only argument.
void takes_rank(Command& command, std::vector<std::string>& names);
void takes_container(Command& command, std::string& container);

/// The running ranks for the text: one rank for "bert/3", all ranks for "bert". See pod::running_ranks(). If
/// no job has the name, the pods of the model with that name; with `for_requests` and without a rank, a pod
/// of its activator, if it has one.
std::vector<pod::RunningRank> named_ranks(Context& context, const std::string& typed,
                                          const std::string& container = {}, bool for_requests = false);

/// The only rank. If there are several, returns the first one, and prints a note that names it.
pod::RunningRank named_rank(Context& context, const std::string& typed, const std::string& container = {},
                            bool for_requests = false);

/// The name by which a new pod of the rank can be found. It contains the rank's number even if `typed` does
/// not, because a different rank may be the first one later. If the job has no ranks, the name is the job's,
/// because each new pod replaces the last one. "@" is replaced by the name of the job that is the newest now.
std::string lasting_name(Context& context, const std::string& typed, const pod::RunningRank& rank);

/// Returns a function that finds the rank's current pod. `context` must outlive it.
pod::PortForward::Find same_rank(Context& context, const std::string& typed, const pod::RunningRank& rank);

/// Forwards connections until Ctrl-C. Returns the exit code.
int forward_until_interrupted(pod::PortForward& forward, const job::Interrupt& interrupt);

}  // namespace kml::cli
