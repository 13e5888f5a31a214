#pragma once

#include <optional>
#include <string>

#include "kml/core/clock.h"
#include "kml/core/json.h"

namespace kml::jobs {

/// A pod as a person asks about it.
struct PodView {
  std::string name;
  std::string phase;  ///< of the API; "Stopping" where it is being deleted
  std::string node;
  std::optional<Time> started, finished;
  std::optional<int> exit_code;  ///< the first container's that failed, else of the first that ended
  std::string cause;  ///< why it waits or failed, in a few words; empty where there is nothing to say
};

/// Without its cause; view_of_pod() of explained_view.h has it.
PodView basic_view_of_pod(const Json& pod);

/// "0/3 nodes are available: 1 Insufficient nvidia.com/gpu, … preemption: …" without what says nothing new.
std::string short_scheduler_message(std::string_view message);

}  // namespace kml::jobs
