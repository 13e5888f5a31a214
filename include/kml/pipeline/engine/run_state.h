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
  waiting,  ///< waits for other steps, or for its next attempt
  running,  ///< has a job
  cached,   ///< uses an earlier result
  done,     ///< the step has made its outputs
  skipped,  ///< does not run: its condition is false, an input was not made, or a step that it needs failed
  failed,
  cancelled,  ///< was running when the run was stopped, or the user cancelled the submitted job
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

/// The state of a step according to its run's journal.
struct StepState {
  Phase phase = Phase::waiting;
  std::string job;       ///< the job of the last attempt; empty if there was none
  int attempt = 0;       ///< the number of the last attempt, or of the next one
  int jobs = 0;          ///< how many jobs of the step have started
  int lost = 0;          ///< how often the outputs no longer existed when another step needed them
  int failures = 0;      ///< how many of its retries the step has used up
  bool is_seen = false;  ///< whether a pod of the job has started
  std::string key;
  Json parts = Json::object();   ///< the parts of the step's key, see KeyParts
  Json inputs = Json::object();  ///< the inputs as the engine passes them to the job
  /// The key is the output's name; the value is {"digest", "path", "bytes", "files"} or {"value"}.
  Json outputs = Json::object();
  Json items;  ///< the items of a foreach over outputs of other steps, once they are known
  /// the image with its digest, if the step's last job succeeded in a cluster
  std::string image_id;
  std::string lock;  ///< the digest of the lock with the packages of that job
  std::string from;  ///< for a cached step: the run that made the result
  /// why the step failed, was skipped, is waiting or had to run; for a step that is done, a note
  std::string cause;
  /// why the last job had to run: "train.py changed", "--no-cache"
  std::string ran_because;
  Time not_before = {};  ///< the earliest start of the next attempt
  std::optional<Time> began, ended;
};

/// The state of a run according to its journal: computed from the records one by one, for the engine and for
/// all commands that show the run.
class RunState {
 public:
  /// Throws Error for a record that cannot follow the earlier ones.
  void apply(const Record& record);

  bool is_empty() const { return !began_; }
  const std::string& name() const { return head_.name; }
  const std::string& id() const { return head_.id; }
  const record::Run& head() const { return head_; }  ///< the first record
  const std::map<std::string, StepState>& steps() const { return steps_; }
  /// The state of a step. If no record names the step, a StepState with the default values.
  const StepState& step(const std::string& name) const;
  /// "step train: exit code 1", for a step that has failed; empty if none has.
  std::string first_failure() const;
  /// How the run ended; empty while it has not.
  const std::optional<Outcome>& end() const { return end_; }
  /// The commit of the run's code, its branch, and whether the code had uncommitted changes: {commit, branch,
  /// dirty}. Null if the commit is unknown.
  Json commit() const;
  /// Whether the run succeeded without a job, because results were cached.
  bool ran_nothing() const;
  std::optional<Time> began() const { return began_; }
  /// StepState::items of all steps, by step.
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
