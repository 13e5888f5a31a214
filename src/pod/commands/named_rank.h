#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/context.h"
#include "kml/pod/streams/running_rank.h"
#include "pod/streams/port_forward.h"

namespace kml::cli {

/// The word in commands that act inside one pod of a job.
inline constexpr const char* kJobAndRank = "JOB[/RANK]";

/// Takes JOB[/RANK], and nothing else.
void takes_rank(Command& command, std::vector<std::string>& names);
void takes_container(Command& command, std::string& container);

/// The running ranks that the text names: one for "bert/3", all for "bert". See pod::running_ranks(). If no
/// job has the name, the pods of the served program with that name; with `for_requests`, its activator, if it
/// has one.
std::vector<pod::RunningRank> named_ranks(Context& context, const std::string& typed,
                                          const std::string& container = {}, bool for_requests = false);

/// The only rank, or the first of several; a note then names it.
pod::RunningRank named_rank(Context& context, const std::string& typed, const std::string& container = {},
                            bool for_requests = false);

/// The name under which a new pod of the rank is found. It has the rank's number even if `typed` has none,
/// because another rank may be the first one by then. Without ranks, it is the job's name, since the pods
/// replace each other. "@" becomes the job that is the newest one now.
std::string lasting_name(Context& context, const std::string& typed, const pod::RunningRank& rank);

/// Finds the rank's current pod again, for requests. `context` must outlive it.
pod::PortForward::Find same_rank(Context& context, const std::string& typed, const pod::RunningRank& rank);

/// Forwards until Ctrl-C. Returns the exit code.
int forward_until_interrupted(pod::PortForward& forward, const job::Interrupt& interrupt);

}  // namespace kml::cli
