#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "kml/core/json.h"
#include "kml/jobs/logs/logs.h"
#include "kml/kube/client.h"

namespace kml::jobs {

/// What an end looks like: first of all what is a cause, last of all what is a consequence.
enum class EndKind {
  own_error,    ///< out of memory, a crash, an exception of its own
  killed,       ///< SIGKILL, or the node or the scheduler wanted it gone
  unexplained,  ///< an exit code, and nothing in the log that explains it
  peer_lost,    ///< it gave up as another rank was no longer there
  stopped,      ///< SIGTERM: somebody ended it, as a job does with the rest of a gang
};

struct TailLine {
  Time time;
  std::string text;
};
/// The last lines of each run of a container: (uid of the pod, container, restart).
using Tails = std::map<std::tuple<std::string, std::string, int>, std::vector<TailLine>>;

/// A run of a container, or a rank of several in it, that ended badly.
struct Death {
  LogSource source;
  std::optional<int> rank = {};  ///< of the program, where it is known
  ContainerExit exit = {};
  EndKind kind = EndKind::unexplained;
  int container_code = 0;          ///< exit code of the container, in which the rank may be one of several
  bool is_named = false;           ///< the launcher of its pod calls it the root cause
  std::optional<Time> spoke = {};  ///< when it wrote its error, or else its last line
  std::vector<TailLine> lines = {};

  Time when() const { return spoke ? *spoke : exit.finished.value_or(Time::max()); }
};

/// The bad ends that the statuses of a job's pods tell of, of runs before a restart too. A pod that was ended
/// before any container ran counts.
std::vector<Death> deaths_of(const Json& job, std::vector<Json> pods);

/// The same with what the logs say: a container in which several ranks ran becomes a death for each of them.
/// It reads torchrun's report ("Root Cause (first observed failure)") and the lines of each rank, see
/// rank_prefix().
std::vector<Death> explained(const std::vector<Death>& deaths, const Tails& tails, int ranks_per_pod);

/// The one that the others followed; nullptr if there is none. The API's times have whole seconds, and
/// the other ranks of a gang die within moments of the first: so those that died in the first seconds are
/// told apart by what their ends look like, and only then by the times of their lines.
const Death* died_first(std::span<const Death> deaths);

/// What was seen of a job's pods while it was followed: when it has ended, those that failed may be gone, and
/// their logs with them.
struct Evidence {
  std::vector<Json> failed_pods = {};
  Tails tails = {};
  std::optional<std::vector<Json>> pods = {};  ///< the job's, where they have just been read
};

/// The one that died first in a job on the server, with its last lines.
struct FirstError {
  Death death;
  /// How many pods were deleted with the job before they were seen, where the first to die may be one of
  /// them.
  long long lost_pods = 0;

  /// It is one of them.
  bool only_followed() const { return lost_pods > 0 && death.kind == EndKind::peer_lost; }
};
std::optional<FirstError> first_error_of(kube::Client& client, const Json& job, const Evidence& seen = {});

/// Passes everything on, and keeps what may be evidence.
class EvidenceKeeper : public LogSink {
 public:
  /// `next` must outlive it.
  explicit EvidenceKeeper(LogSink& next) : next_(next) {}
  void lines(std::span<const LogLine> lines) override;
  void event(const LogEvent& event) override;
  void unfinished(const LogLine& line) override { next_.unfinished(line); }
  bool pause() override { return next_.pause(); }
  void waits(const JobView& job) override { next_.waits(job); }
  Kept kept(const LogSource& source, const std::function<void(Time, std::string_view)>& recall) override {
    return next_.kept(source, recall);
  }

  /// All of what was followed, of whichever job.
  const Evidence& evidence() const { return evidence_; }

 private:
  LogSink& next_;
  Evidence evidence_;
};

}  // namespace kml::jobs
