#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kml/base/clock.h"
#include "kml/base/error.h"
#include "kml/base/json.h"
#include "kml/pipeline/language/pipeline.h"

namespace kml::pipeline {

/// How a run ended.
enum class Outcome { succeeded, failed, stopped };
/// The outcome's name in the journal and in output: "succeeded".
std::string_view name_of(Outcome outcome);

/// The steps that a run must execute even if the cache has their results.
struct Renewal {
  bool all = false;             ///< --no-cache
  std::set<std::string> steps;  ///< --refresh

  /// Whether --refresh names the step, or the foreach from which it was made.
  bool names(const Step& step) const { return steps.contains(step.name) || steps.contains(step.group); }
  bool operator==(const Renewal&) const = default;
};

/// The kinds of records in the journal of a run.
namespace record {

/// The first record: what the user requested.
struct Run {
  std::string name = {}, id = {}, user = {};
  std::string file = {};      ///< an absolute path
  std::string pipeline = {};  ///< the pipeline's name
  std::string text = {};      ///< the text of the file
  Json params = Json::object();
  /// {"context", "namespace"} of the run's jobs; null for `kml artifact put`, which has none
  Json target = {};
  std::string store = {};  ///< --store
  Renewal renewal = {};
  std::vector<std::string> until = {};  ///< --until
  bool keeps_going = false;             ///< --keep-going
  bool records = false;                 ///< --record
  bool is_job = false;                  ///< whether the run has a single, submitted job
  Json settings = Json::array();        ///< the submitted job's settings: [{"name", "value"}]
  std::optional<Json> git = {};         ///< the result of job::GitState::take(); null outside a repository
  std::string schedule = {};            ///< the name of the schedule that started the run
  /// the scheduled time, for ${run.scheduled}, if the run started at another time
  std::string scheduled = {};
};
/// An engine started to execute the run.
struct Session {
  std::string owner;
};

// The records from here to Skipped are about one step.

/// The step uses an earlier result.
struct Hit {
  std::string step, key;
  Json outputs;
  std::string from;  ///< the run that made the result
  std::string cause = {};
};
/// The job of a step's attempt is about to be created. See StepState for the fields.
struct Begun {
  std::string step;
  int attempt = 0;
  std::string job, key;
  Json parts, inputs;
  std::string cause;
};
/// A pod of the step's job has started.
struct Running {
  std::string step;
};
/// The items of a foreach are known. The run gets a step for each of them.
struct Items {
  std::string step;
  Json items;
};
/// The step's outputs no longer exist, so the step runs again.
struct Lost {
  std::string step, cause;
};
/// The step waits for the cluster, or for another run or step.
struct Wait {
  std::string step, cause;
};
/// An attempt of the step failed; another one follows.
struct Again {
  std::string step, cause;
  std::optional<Time> until;  ///< the earliest start of the next attempt; empty means at once
  bool is_lost = false;       ///< whether something other than the step caused the failure
};
struct Ended {
  enum class How { done, failed, cancelled };

  std::string step;
  How how = How::failed;
  std::string cause = {};
  std::optional<Json> outputs = {};  ///< the step's outputs, if it is done
  std::string image_id = {};         ///< in a cluster: the step's image with its digest
  std::string lock = {};             ///< the digest of the lock with the step's packages
  /// when the step's job ended, if no engine was running then
  std::optional<Time> job_ended = {};
};
struct Skipped {
  std::string step, cause;
};

/// The steps that failed, were cancelled or were skipped are tried again.
struct Resumed {
  /// in a cluster: the id of the request, so that it is executed only once
  std::optional<std::string> request;
};
struct End {
  Outcome outcome = Outcome::failed;
};
/// A record written by a newer kml.
struct Unknown {
  std::string name;
};

}  // namespace record

struct Record {
  Time time;
  std::variant<record::Unknown, record::Run, record::Session, record::Hit, record::Begun, record::Running,
               record::Items, record::Lost, record::Wait, record::Again, record::Ended, record::Skipped,
               record::Resumed, record::End>
      what;
};

/// The name of the record's kind, as in the journal: "begun".
std::string_view name_of(const Record& record);
/// The step that the record is about; null if it is not about a step.
const std::string* step_of(const Record& record);

/// A line of `journal.jsonl`.
Json to_json(const Record& record);
/// Throws Error if the record is damaged.
void from_json(const Json& line, Record& record);

/// Whether the line records the end of a run. False for a line that is not a record.
bool is_end(const Json& line);

/// The error for a journal that no engine can have written.
Error broken_journal(const std::string& why);

}  // namespace kml::pipeline
