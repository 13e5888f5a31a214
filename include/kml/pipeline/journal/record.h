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
/// The text in the journal and in output: "succeeded".
std::string_view name_of(Outcome outcome);

/// The steps that a run must execute again even if the cache has their results.
struct Renewal {
  bool all = false;             ///< --no-cache
  std::set<std::string> steps;  ///< --refresh

  /// Whether --refresh names the step, or the foreach that it comes from.
  bool names(const Step& step) const { return steps.contains(step.name) || steps.contains(step.group); }
  bool operator==(const Renewal&) const = default;
};

/// The kinds of records in the journal of a run.
namespace record {

/// The first record: what the user requested.
struct Run {
  std::string name = {}, id = {}, user = {};
  std::string file = {};      ///< the absolute path
  std::string pipeline = {};  ///< the pipeline's name
  std::string text = {};      ///< of the file
  Json params = Json::object();
  Json target = {};  ///< {"context", "namespace"} of its jobs; null for `kml artifact put`, which has none
  std::string store = {};  ///< --store
  Renewal renewal = {};
  std::vector<std::string> until = {};  ///< --until
  bool keeps_going = false;             ///< --keep-going
  bool is_job = false;                  ///< the run of one submitted job
  Json settings = Json::array();        ///< of that job: [{"name", "value"}]
  std::optional<Json> git = {};         ///< see job::GitState::take(); null outside a repository
  std::string schedule = {};            ///< the name of the schedule that started it
  std::string scheduled = {};  ///< its time for ${run.scheduled}, if that is not the start of the run
};
/// An engine starts to run it.
struct Session {
  std::string owner;
};

// The others up to Skipped are about one step.

/// An earlier result is used.
struct Hit {
  std::string step, key;
  Json outputs;
  std::string from;  ///< the run that made the result
  std::string cause = {};
};
/// The job of an attempt is about to be created. See StepState.
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
/// The items of a foreach. A step follows for each of them.
struct Items {
  std::string step;
  Json items;
};
/// Its outputs no longer exist, so it runs again.
struct Lost {
  std::string step, cause;
};
/// It waits for the cluster, or for another run or step.
struct Wait {
  std::string step, cause;
};
/// The attempt failed; another follows.
struct Again {
  std::string step, cause;
  std::optional<Time> until;  ///< its earliest start; empty: at once
  bool is_lost = false;       ///< the failure is not the step's own
};
struct Ended {
  enum class How { done, failed, cancelled };

  std::string step;
  How how = How::failed;
  std::string cause = {};
  std::optional<Json> outputs = {};  ///< if it is done
  std::string image_id = {};         ///< in a cluster: the image with its digest
};
struct Skipped {
  std::string step, cause;
};

/// Failed steps are tried again.
struct Resumed {
  std::optional<std::string> request;  ///< in a cluster: names the request, so that it is obeyed once
};
struct End {
  Outcome outcome = Outcome::failed;
};
/// Written by a newer kml.
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

/// The name of the record's kind in the journal: "begun".
std::string_view name_of(const Record& record);
/// The step that the record is about; null for other records.
const std::string* step_of(const Record& record);

/// A line of `journal.jsonl`.
Json to_json(const Record& record);
/// Throws Error if it is damaged.
void from_json(const Json& line, Record& record);

/// Whether the line is the end of a run. False for a line that is not a record.
bool is_end(const Json& line);

/// The error for a journal that no engine can have written.
Error broken_journal(const std::string& why);

}  // namespace kml::pipeline
