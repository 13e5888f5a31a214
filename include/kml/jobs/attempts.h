#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kml/core/clock.h"
#include "kml/kube/client.h"

namespace kml::jobs {

/// One pod of a job that has run, or runs.
struct Attempt {
  std::string pod;
  /// Of an attempt that recorded_attempts() gives; else empty.
  std::string uid;
  std::vector<std::string> containers;
  std::string index;  ///< of an indexed job or a replica; may be empty
  std::optional<Time> start, end;
  std::optional<int> exit_code;
  std::string result;  ///< "Running", "Succeeded", or why it ended
};

/// Those that the embedded server has recorded, oldest first, whether their pods are there or gone; a cluster
/// has none.
std::vector<Attempt> recorded_attempts(kube::Client& client, const Json& job);

/// All attempts that are still known, oldest first: from the pods that are there, and from the events that
/// the embedded server keeps for pods that are gone.
std::vector<Attempt> attempts_of(kube::Client& client, const Json& job);

}  // namespace kml::jobs
