#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "kml/base/json.h"
#include "kml/job/logs/logs.h"
#include "kml/kube/client/client.h"

namespace kml::job {

/// The ways in which a container can end. Likely causes come first, likely consequences last.
enum class EndKind {
  own_error,    ///< out of memory, a crash, or an exception in the program's own code
  killed,       ///< SIGKILL, or the node or the scheduler removed the pod
  unexplained,  ///< an exit code that nothing in the log explains
  peer_lost,    ///< the rank gave up, because another rank had died
  stopped,      ///< SIGTERM or SIGINT, as when the job stops the rest of its gang
};

struct TailLine {
  Time time;
  std::string text;
};
/// The last lines of each run of a container, by (uid of the pod, container, restart).
using Tails = std::map<std::tuple<std::string, std::string, int>, std::vector<TailLine>>;

/// How and when a container, or a rank in it, died.
struct Death {
  LogSource source;
  std::optional<int> rank = {};  ///< the rank of the program, if known
  ContainerExit exit = {};
  EndKind kind = EndKind::unexplained;
  int container_code = 0;          ///< the exit code of the container, which may have several ranks
  bool is_named = false;           ///< whether the launcher in the pod reports this death as the root cause
  std::optional<Time> spoke = {};  ///< when the container wrote its error or, if there is none, its last line
  std::vector<TailLine> lines = {};
  std::string told = {};  ///< the line that names the error; empty if there is none

  Time when() const { return spoke ? *spoke : exit.finished.value_or(Time::max()); }
};

/// The failures in the statuses of a job's pods, including runs before a restart. Includes a failed pod in
/// which no container failed, as when its node was lost. `only_last_runs` leaves out a run if its container
/// has ended again since. In a pod that was only stopped because its job failed, a crash before that counts
/// instead of the stop.
std::vector<Death> deaths_of(const Json& job, std::vector<Json> pods, bool only_last_runs = false);

/// Adds details from the logs. If a container has several ranks, splits its death into one death per rank
/// that died. Reads torchrun's report ("Root Cause (first observed failure)"), and the lines of each rank
/// (see rank_prefix()).
std::vector<Death> explained(const std::vector<Death>& deaths, const Tails& tails, int ranks_per_pod);

/// The first death, which caused the others; nullptr if `deaths` is empty. The API's times are in whole
/// seconds, and the other ranks of a gang die within moments. So deaths in the first seconds are sorted by
/// kind. Of the same kind, a death that a launcher names as the root cause comes first; the others are sorted
/// by the times of their lines.
const Death* died_first(std::span<const Death> deaths);

/// The facts observed about a job's pods while it was followed. After the end of the job, failed pods and
/// their logs may no longer exist.
struct Evidence {
  std::vector<Json> failed_pods = {};
  Tails tails = {};
  std::optional<std::vector<Json>> pods = {};  ///< the job's pods, if they were just read
  /// leaves out pods that were replaced after they had ended, as by a retry, and runs before a restart
  bool only_last_attempts = false;
};

/// The first death in a job on the server, with its last lines.
struct FirstError {
  Death death;
  /// How many pods were deleted before kml saw them. 0 if the first known death cannot be a consequence of
  /// another death.
  long long lost_pods = 0;

  /// Whether the first death must be among the lost pods.
  bool only_followed() const { return lost_pods > 0 && death.kind == EndKind::peer_lost; }
};
std::optional<FirstError> first_error_of(kube::Client& client, const Json& job, const Evidence& seen = {});

/// Passes everything on to `next`, and keeps what may show which pod died first.
class EvidenceKeeper : public LogSink {
 public:
  /// `next` must outlive this object.
  explicit EvidenceKeeper(LogSink& next) : next_(next) {}
  void lines(std::span<const LogLine> lines) override;
  void event(const LogEvent& event) override;
  void unfinished(const LogLine& line) override { next_.unfinished(line); }
  bool pause() override { return next_.pause(); }
  void waits(const JobView& job) override { next_.waits(job); }
  Kept kept(const LogSource& source, const std::function<void(Time, std::string_view)>& recall) override {
    return next_.kept(source, recall);
  }

  /// The evidence about all jobs so far.
  const Evidence& evidence() const { return evidence_; }

 private:
  LogSink& next_;
  Evidence evidence_;
};

}  // namespace kml::job
