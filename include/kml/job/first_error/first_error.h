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

/// The kinds of ends, ordered from likely causes to likely consequences.
enum class EndKind {
  own_error,    ///< out of memory, a crash, an exception in its own code
  killed,       ///< SIGKILL, or removed by the node or the scheduler
  unexplained,  ///< an exit code that nothing in the log explains
  peer_lost,    ///< gave up because another rank had died
  stopped,      ///< SIGTERM: the job stopped the rest of its gang
};

struct TailLine {
  Time time;
  std::string text;
};
/// The last lines of each run of a container: (uid of the pod, container, restart).
using Tails = std::map<std::tuple<std::string, std::string, int>, std::vector<TailLine>>;

/// the program's rank, if known
struct Death {
  LogSource source;
  std::optional<int> rank = {};  ///< the program's rank, if known
  ContainerExit exit = {};
  EndKind kind = EndKind::unexplained;
  int container_code = 0;          ///< exit code of the container, which may have several ranks
  bool is_named = false;           ///< its pod's launcher reports it as the root cause
  std::optional<Time> spoke = {};  ///< when it wrote its error, otherwise its last line
  std::vector<TailLine> lines = {};
  std::string told = {};  ///< the line that names its error; empty if none does

  Time when() const { return spoke ? *spoke : exit.finished.value_or(Time::max()); }
};

/// The failures in the statuses of a job's pods, including runs before a restart. Includes pods that were
/// ended before any container ran.
std::vector<Death> deaths_of(const Json& job, std::vector<Json> pods);

/// Adds details from the logs. Splits a container with several ranks into one death per rank. Reads
/// torchrun's report ("Root Cause (first observed failure)") and the lines of each rank (see rank_prefix()).
std::vector<Death> explained(const std::vector<Death>& deaths, const Tails& tails, int ranks_per_pod);

/// The first death, which caused the others; nullptr if `deaths` is empty. The API's times have whole
/// seconds, and the other ranks of a gang die within moments. Deaths in the first seconds are therefore
/// ordered by kind, and only then by the times of their lines.
const Death* died_first(std::span<const Death> deaths);

/// The observations of a job's pods while it was followed. After the job's end, failed pods and their logs
/// may no longer exist.
struct Evidence {
  std::vector<Json> failed_pods = {};
  Tails tails = {};
  std::optional<std::vector<Json>> pods = {};  ///< the job's pods, if they have just been read
};

/// The first death in a job on the server, with its last lines.
struct FirstError {
  Death death;
  /// How many pods were deleted with the job before they were seen, if one of them may have died first.
  long long lost_pods = 0;

  /// Whether the first death must be among the lost pods.
  bool only_followed() const { return lost_pods > 0 && death.kind == EndKind::peer_lost; }
};
std::optional<FirstError> first_error_of(kube::Client& client, const Json& job, const Evidence& seen = {});

/// Passes everything on to `next` and keeps whatever may be evidence.
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

  /// The evidence for all jobs so far.
  const Evidence& evidence() const { return evidence_; }

 private:
  LogSink& next_;
  Evidence evidence_;
};

}  // namespace kml::job
