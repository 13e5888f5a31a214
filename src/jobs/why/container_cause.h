#pragma once

#include <optional>

#include "jobs/why/facts.h"
#include "kml/jobs/why/cause.h"

namespace kml::jobs {

/// What keeps the containers of a pod that has a node from running; empty where all of them run or have
/// ended well. The kubelet says it in the containers' states, and of volumes only in events.
std::optional<Cause> container_cause(const Facts& facts, const Json& pod);

/// How a container that ended badly did: out of memory, or by an exit code; empty where it ended well.
/// `name` is how the container is called in the summary, e.g. "pod bert-0".
std::optional<Cause> exit_cause(const Json& terminated, const std::string& name);

}  // namespace kml::jobs
