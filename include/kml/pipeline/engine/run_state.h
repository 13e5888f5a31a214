#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "kml/base/clock.h"
#include "kml/base/json.h"
#include "kml/pipeline/journal/record.h"

namespace kml::pipeline {

enum class Phase {
  waiting,  ///< for other steps, or for its next attempt
  running,  ///< it has a job
  cached,   ///< an earlier result is used
  done,     ///< it made its outputs
  skipped,  ///< its condition is false, or an input was not made
  failed,
  cancelled,  ///< it was running when the run was stopped
};
inline constexpr size_t kPhases = 7;

/// The phase's name in output and JSON: "cached".
std::string_view name_of(Phase phase);
/// Whether a step in this phase has outputs.
inline bool has_made(Phase phase) {
  return phase == Phase::cached || phase == Phase::done;
}
inline bool has_ended(Phase phase) {
  return phase != Phase::waiting && phase != Phase::running;
}

/// A step according to its run's journal.
struct StepState {
  Phase phase = Phase::waiting;
  std::string job;       ///< number of the last attempt; empty if there was none
  int attempt = 0;       ///< number of that attempt, or of the next one
  int jobs = 0;          ///< how many of its jobs have started
  int lost = 0;          ///< how often its outputs were missing when another step needed them
  int failures = 0;      ///< attempts that failed by themselves; excludes those that the cluster ended
  bool is_seen = false;  ///< a pod of its job has started
  std::string key;
  Json parts = Json::object();    ///< the parts of its key, see KeyParts
  Json inputs = Json::object();   ///< as the engine passes them to the job
  Json outputs = Json::object();  ///< by name: {"digest", "path", "bytes", "files"}, or {"value"}
  Json items;                     ///< for a foreach over outputs of other steps, once they are known
  std::string image_id;           ///< of its last job that succeeded in a cluster: the image with its digest
  std::string from;               ///< of a cached step: the run that made the result
  std::string cause;              ///< why it failed, was skipped, is waiting, or had to run
  Time not_before = {};           ///< the earliest start of its next attempt
  std::optional<Time> began, ended;
};

/// A run according to its journal: a fold over the records, shared by the engine and all commands that show
/// the run.
class RunState {
 public:
  /// Throws Error for a record that cannot follow the earlier ones.
  void apply(const Record& record);

  bool is_empty() const { return !began_; }
  const std::string& name() const { return head_.name; }
  const std::string& id() const { return head_.id; }
  const record::Run& head() const { return head_; }  ///< the first record
  const std::map<std::string, StepState>& steps() const { return steps_; }
  /// The state of a step; a default one if no record names the step.
  const StepState& step(const std::string& name) const;
  /// How the run ended; empty until then.
  const std::optional<Outcome>& end() const { return end_; }
  /// The commit of its code, the branch, and whether the code had uncommitted changes: {commit, branch,
  /// dirty}. Null if the code is not in a git repository.
  Json commit() const;
  /// Whether it succeeded without a job, because all results were cached.
  bool ran_nothing() const;
  std::optional<Time> began() const { return began_; }
  /// The items of StepState, by step.
  Json items() const;
  Time last_time() const { return last_; }

 private:
  void try_failed_again();

  record::Run head_;
  std::map<std::string, StepState> steps_;
  std::optional<Outcome> end_;
  std::optional<Time> began_;
  Time last_ = {};
};

}  // namespace kml::pipeline
