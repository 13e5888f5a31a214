#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "kml/core/clock.h"
#include "kml/core/json.h"
#include "kml/pipeline/cache.h"

namespace kml::pipeline {

enum class Phase {
  waiting,  ///< for other steps, or to be tried again
  running,  ///< it has a job
  cached,   ///< an earlier result stands
  done,     ///< it made its outputs
  skipped,  ///< its condition does not hold, or nothing made what it reads
  failed,
  cancelled,  ///< it ran when the run was stopped
};

/// "cached", as people and JSON have it.
std::string_view name_of(Phase phase);
/// Whether there are outputs.
inline bool has_made(Phase phase) {
  return phase == Phase::cached || phase == Phase::done;
}
inline bool has_ended(Phase phase) {
  return phase != Phase::waiting && phase != Phase::running;
}

/// A step according to its run's journal.
struct StepState {
  Phase phase = Phase::waiting;
  std::string job;       ///< of the last attempt; empty if there was none
  int attempt = 0;       ///< of that job, or of the one that is to begin
  int lost = 0;          ///< how often what it made was gone when it was needed
  int failures = 0;      ///< attempts that failed by themselves; the others were lost to the cluster
  bool is_seen = false;  ///< a pod of its job has run
  std::string key;
  Json parts = Json::object();    ///< of the key, as KeyParts
  Json inputs = Json::object();   ///< as Engine hands them to the job
  Json outputs = Json::object();  ///< by name: {"digest", "path", "bytes", "files"}, or {"value"}
  std::string from;               ///< of a cached one: the run that made it
  std::string cause;              ///< why it failed, was skipped, waits, or had to run
  Time not_before = {};           ///< of one that is to be tried again
  std::optional<Time> began, ended;
};

/// A run according to its journal: a fold over the records, shared by the engine and all who show it.
///
/// The records are objects with "what", "time", and, of a step, "step":
///
///     run      name, id, file, folder, text, params, target, renewal   the first one
///     session  owner                                                   an engine goes on
///     hit      key, outputs, from
///     begun    attempt, job, key, parts, inputs, cause
///     running
///     lost     cause                                                   what it made is gone: it runs again
///     wait     cause
///     again    cause, until, isLost                                    the attempt failed; there will be
///     another ended    isDone, cause, outputs skipped  cause resumed what failed is to be tried again end
///     outcome                                                 "succeeded", "failed" or "stopped"
class RunState {
 public:
  /// Throws Error for a record that cannot follow those before.
  void apply(const Json& record);

  bool is_empty() const { return head_.is_null(); }
  std::string name() const { return string_at(head_, {"name"}); }
  std::string id() const { return string_at(head_, {"id"}); }
  const Json& head() const { return head_; }  ///< the first record
  Renewal renewal() const;
  const std::map<std::string, StepState>& steps() const { return steps_; }
  /// Of one that no record names: as it is at first.
  const StepState& step(const std::string& name) const;
  /// How it ended; empty while it has not.
  const std::string& end() const { return end_; }
  std::optional<Time> began() const { return began_; }
  Time last_time() const { return last_; }

 private:
  void apply_to(StepState& step, const std::string& what, const Json& record, Time time);
  void try_failed_again();

  Json head_;
  std::map<std::string, StepState> steps_;
  std::string end_;
  std::optional<Time> began_;
  Time last_ = {};
};

}  // namespace kml::pipeline
