#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kml/core/clock.h"
#include "kml/core/json.h"
#include "kml/jobs/views/disruption.h"
#include "kml/jobs/views/job_view.h"

namespace kml::jobs {

/// How a job of a run ended, or how far it is.
struct Outcome {
  State state = State::waiting;
  std::string cause;
  std::optional<Time> finished;
};

/// What one submit was: enough to know what ran, and to run it again.
struct Run {
  std::string id;  ///< the objects' submit-id
  Time time;       ///< of the submit
  std::string user, context, namespace_name, server;
  std::string template_name;
  std::vector<std::string> command;
  std::string folder;
  std::string code_folder;    ///< of --code, absolute
  std::vector<Json> objects;  ///< as sent; the contents of secrets are left out
  Json git;                   ///< see GitState; null outside a repository, or where kml ended first
  std::map<std::string, Outcome> outcomes;  ///< by job_key(), where known
  bool is_open = false;                     ///< kml ended before it knew what became of the objects

  /// The jobs among the objects.
  std::vector<const Json*> jobs() const;
  /// Leaves out the objects that are not among those that were made, each as job_key() names it.
  void keep_made(const std::vector<std::string>& made);
};

/// The run as its line in the records holds it, without its outcomes.
Json to_json(const Run& run);

/// state_folder()/runs.jsonl: one JSON object a line: a submit that is about to be sent, the state of its
/// code, which of its objects were made, or how a job of an earlier one ended.
class RunRecords {
 public:
  explicit RunRecords(std::filesystem::path file) : file_(std::move(file)) {}
  /// This user's.
  static RunRecords of_user();

  /// Before the submit is sent: the record outlives the death of kml at any moment.
  void add_intent(const Run& run) const;
  /// What became of it: the objects that were made, each as job_key() names it.
  void add_sent(const std::string& run_id, const std::vector<std::string>& made) const;
  /// The code it was made of, which git tells while the submit is under way; see GitState.
  void add_git(const std::string& run_id, const Json& git) const;
  void add_outcome(const std::string& run_id, const std::string& job_key, const Outcome& outcome) const;
  /// The same, from what the cluster says of a job that has ended; nothing for one that no submit of kml
  /// made.
  void add_outcome(const Json& job, const JobView& view) const;
  /// What is known of a job that is about to be deleted, for nobody can be asked later.
  void add_deleted(const Json& job) const;
  /// What the cluster did to a pod of the job; a later record of the same pod takes the place of the first.
  void add_disruption(const Json& job, const Disruption& disruption) const;
  /// Those that are recorded, oldest first, by disruption_key().
  std::map<std::string, std::vector<Disruption>> disruptions() const;
  /// All, oldest first, but those of which nothing was made. A line that is not a record (cut off by a crash)
  /// is skipped, and so is an outcome whose state this kml does not know.
  std::vector<Run> read() const;

 private:
  /// A line that is not a record (cut off by a crash) is skipped.
  void each_line(const std::function<void(const Json&)>& visit) const;

  std::filesystem::path file_;
};

/// Names a job in the records for ever: by the submit that made it, or, of one that kml did not make, by uid.
std::string disruption_key(const Json& job);
/// The same of a job that is gone; `job_key` as job_key() has it.
std::string disruption_key(const std::string& run_id, const std::string& job_key);

/// Without the contents of Secrets, and without what the server or an earlier submit added.
Json without_secrets(Json object);

}  // namespace kml::jobs
