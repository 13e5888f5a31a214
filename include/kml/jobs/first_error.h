#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kml/core/json.h"
#include "kml/jobs/log_events.h"
#include "kml/kube/client.h"

namespace kml::jobs {

/// What an end looks like: first of all what is a cause, last of all what is a consequence.
enum class EndKind {
  own_error,    ///< out of memory, a crash, an exception of its own
  unexplained,  ///< an exit code, and nothing in the log that explains it
  killed,       ///< SIGKILL, or the node or the scheduler wanted it gone
  peer_lost,    ///< it gave up as another rank was no longer there
  stopped,      ///< SIGTERM: somebody ended it, as a job does with the rest of a gang
};

/// A run of a container, or a rank of several in it, that ended badly.
struct Death {
  LogSource source;
  std::optional<int> rank = {};  ///< of the program, where it is known
  ContainerExit exit = {};
  EndKind kind = EndKind::unexplained;
};

/// The bad ends that the statuses of a job's pods tell of, of runs before a restart too. A pod that was ended
/// before any container ran counts.
std::vector<Death> deaths_of(const Json& job, std::vector<Json> pods);

/// The one that the others followed; nullptr where there is none. The API's times have whole seconds, and
/// the other ranks of a gang die within moments of the first: so those that died in the first seconds are
/// told apart by what their ends look like.
const Death* died_first(std::span<const Death> deaths);

/// The same for a job on the server.
std::optional<Death> first_error_of(kube::Client& client, const Json& job);

}  // namespace kml::jobs
