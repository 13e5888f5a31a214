#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kml/base/clock.h"
#include "kml/base/error.h"
#include "kml/base/json.h"
#include "kml/sweep/trial/history.h"

namespace kml::sweep {

/// How a trial ended.
enum class Outcome { complete, pruned, diverged, failed, out_of_memory, no_metric, refused, lost };
/// The outcome's text in the journal, tables and exports: "out of memory".
std::string_view in_words(Outcome outcome);
/// The outcome with this text; empty if there is none.
std::optional<Outcome> outcome_of(std::string_view words);
/// The state that samplers see for a trial with this outcome.
TrialState state_of(Outcome outcome);

/// The trials that run as one Indexed Job. Index i is trials[i]; its job name is index_name(job, i).
struct Wave {
  std::string job;
  std::vector<std::uint64_t> trials;
};

/// The kinds of records in a sweep's journal.
namespace record {

struct Sweep {
  std::string id;
  Json document, target;
  /// what the trials run: "git" as in GitState, and "packages" as in SubmitPlan; null if neither is known
  Json code = {};
};
/// An engine started to run the sweep.
struct Session {
  std::string owner;
  std::optional<Time> previous_until = {};  ///< when the previous engine was last alive
};
/// The sweep's document changed.
struct Change {
  Json document;
};
struct Asked {
  std::uint64_t trial = 0;
  Json values;
  std::optional<Lineage> lineage = {};
};
/// A trial's job is about to be created.
struct Begun {
  std::uint64_t trial = 0;
  std::string job;
  int rung = 0, attempt = 0;
  double until = 0;  ///< the resource at which the job stops; 0 means that it stops by itself
};
struct Running {
  std::uint64_t trial = 0;
  std::string node;
};
/// A running trial waits again: its pods were removed, and its job will continue with new pods.
struct Waiting {
  std::uint64_t trial = 0;
};
/// The values that a trial has reported.
struct Results {
  Curve curve;
  std::map<std::string, double> metrics;  ///< the objective's additional metrics
  Diverged diverged = {};
};
/// A trial reached a rung.
struct Rung {
  enum class Decision { go, stop, pause };

  std::uint64_t trial = 0;
  double resource = 0, value = 0;
  Decision decision = Decision::go;  ///< `pause` means that the trial's job has ended at this rung
  double gpu_seconds = 0;
  Results results = {};  ///< with `pause`
};
/// Early stopping compared a trial with others; see Verdict. The values are as the trials reported them.
struct Judged {
  std::uint64_t trial = 0;
  double resource = 0, value = 0;
  std::optional<double> cutoff = {};
  std::uint64_t place = 1, of = 1;
  bool stops = false;
};
/// An attempt failed and is retried.
struct Failed {
  enum class Fault { own, lost, disrupted };  ///< `disrupted` means that the cluster removed the pod

  std::uint64_t trial = 0;
  std::string cause, node;
  double gpu_seconds = 0;
  Fault fault = Fault::own;
  Results results = {};
};
struct Ended {
  std::uint64_t trial = 0;
  Outcome outcome = Outcome::failed;
  std::string cause = {}, node = {};
  double gpu_seconds = 0;
  std::optional<double> value = {};
  Results results = {};
};
/// A trial's job was ended because the sweep stopped or no longer needs the trial.
struct Withdrawn {
  std::uint64_t trial = 0;
  double gpu_seconds = 0;
  Results results = {};
};
struct End {
  enum class Kind { stopped, space_tried, other };

  Kind kind = Kind::other;
  std::string reason = {};  ///< as text

  /// The record with the standard text for a kind. The kind must not be `other`.
  static End of(Kind kind);
};
/// A record written by a newer kml.
struct Unknown {};

}  // namespace record

struct Record {
  Time time;
  std::variant<record::Unknown, record::Sweep, record::Session, record::Change, record::Asked, record::Begun,
               Wave, record::Running, record::Waiting, record::Rung, record::Judged, record::Failed,
               record::Ended, record::Withdrawn, record::End>
      what;
  /// Only in records of a job's end: the time at which the job ended, by the server's clock. Set only if the
  /// job ended before the engine started; `time` is the time of the record.
  std::optional<Time> job_ended = {};
};

/// A line of `journal.jsonl`.
Json to_json(const Record& record);
/// Throws Error if the record is damaged.
Record record_from_json(const Json& json);
inline void from_json(const Json& json, Record& record) {
  record = record_from_json(json);
}

/// Whether the line records the end of a sweep. False for a line that is not a record.
bool is_end(const Json& line);

/// The error for a journal that no engine can have written.
Error damaged_journal(const std::string& why);

/// Combines functions for the kinds of records into one, for std::visit.
template <typename... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <typename... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

}  // namespace kml::sweep
