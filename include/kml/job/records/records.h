#pragma once

#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/clock.h"
#include "kml/base/json.h"
#include "kml/job/views/disruption.h"
#include "kml/job/views/job_view.h"

namespace kml::job {

/// A job's result, or its state so far.
struct Outcome {
  State state = State::waiting;
  std::string cause;
  std::optional<Time> finished;
};

/// The values of one metric in a run's log. `last` belongs to the greatest step, and is NaN if the training
/// diverged there; `min` and `max` leave out NaN unless all values are NaN.
struct Metric {
  double last = 0, min = 0, max = 0;
  long long count = 0;
};
/// {"last", "min", "max", "count"}; see json_of_number().
Json to_json(const Metric& metric);
using RunMetrics = std::map<std::string, Metric>;

/// A nested run that a program made within its own with MLflow (nested=True).
struct NestedRun {
  std::string id = {};      ///< MLflow's
  std::string parent = {};  ///< id of its parent, if that is nested too; empty below the program's run
  std::string name = {}, state = {};
  Time time = {};  ///< the time of its start
  std::optional<Time> finished = {};
  RunMetrics metrics = {};
  std::map<std::string, std::string> params = {}, tags = {};
};

/// The facts about a run in addition to its submit. They are stored under the id of a submit, or under
/// "sweep/NAME" or "run/NAME".
struct RunNotes {
  std::map<std::string, std::string> tags;
  std::string note;
  std::optional<RunMetrics> metrics;                              ///< empty if no log was read
  std::map<std::string, std::string> logged_params, logged_tags;  ///< by the program itself, with MLflow
  std::string image_id;           ///< what the node ran, as in ContainerStatus.imageID
  std::vector<NestedRun> nested;  ///< parents come before their nested runs
};

/// The record of one submit: enough to know what ran and to run it again.
struct Submission {
  std::string id;  ///< the objects' submit-id
  Time time;       ///< time of the submit
  std::string user, context, namespace_name, server;
  std::string template_name;
  std::vector<std::string> command;
  std::string folder;
  std::string code_folder;    ///< the folder of --code, absolute
  std::vector<Json> objects;  ///< as they were sent, without the contents of secrets
  Json git;                   ///< see GitState; null outside a repository, or if kml ended too early
  std::map<std::string, Outcome> outcomes;  ///< the known ones, by job_key()
  bool is_open = false;                     ///< kml ended before it knew which objects were created

  /// The jobs among the objects.
  std::vector<const Json*> jobs() const;
  /// Removes the objects that are not in `made`, a list of job_key() names.
  void keep_made(const std::vector<std::string>& made);
};

struct SubmissionOutcome {
  std::string state;  ///< a job's state, or "Created" or "Unknown"
  std::string cause = {};
  std::optional<Time> finished = {};
};

/// Its outcome: the first job that did not succeed, otherwise the state of the last job. For a
/// submit without jobs, the outcome only says that its objects were created.
SubmissionOutcome outcome_of(const Submission& submission);

/// The submission as a line of the records, without its outcomes.
Json to_json(const Submission& submission);

/// The file state_folder()/runs.jsonl with one JSON object per line: a submit about to be sent, the state of
/// its code, the objects created, or the outcome of an earlier submit's job.
class Submissions {
 public:
  explicit Submissions(std::filesystem::path file) : file_(std::move(file)) {}
  /// The records of the current user.
  static Submissions of_user();

  /// Call before sending the submit, so that its record survives if kml is killed at any moment.
  void add_intent(const Submission& submission) const;
  /// Records the created objects by their job_key() names.
  void add_sent(const std::string& run_id, const std::vector<std::string>& made) const;
  /// Records the code of the run, which git reports during the submit; see GitState.
  void add_git(const std::string& run_id, const Json& git) const;
  void add_outcome(const std::string& run_id, const std::string& job_key, const Outcome& outcome) const;
  /// Records the outcome of an ended job. Does nothing for a job that kml did not submit.
  void add_outcome(const Json& job, const JobView& view) const;
  /// Records what is known about a job. Call it before the job's deletion, because the server then forgets
  /// the job.
  void add_deleted(const Json& job) const;
  /// Records a disruption of one of the job's pods. A later record of the same pod replaces an earlier one.
  void add_disruption(const Json& job, const Disruption& disruption) const;
  /// The recorded disruptions, oldest first, by disruption_key().
  std::map<std::string, std::vector<Disruption>> disruptions() const;
  /// Records what an ended run has logged: the notes without their tags and note.
  void add_logged(const std::string& run_id, const RunNotes& logged) const;
  /// A tag whose value is null is removed.
  void add_tags(const std::string& run_id, const Json& tags) const;
  /// Replaces the run's note.
  void add_note(const std::string& run_id, const std::string& note) const;
  std::map<std::string, RunNotes> notes() const;
  /// The submits whose metrics are not recorded, by id.
  std::set<std::string> without_metrics() const;
  /// All runs that created any object, oldest first. Skips a line that is not a record (cut off by a crash),
  /// and an outcome with a state that this version of kml does not know. `damaged` gets "FILE:LINE" of each
  /// damaged line among those of the newest runs, which may hide a run. An incomplete last line is left out,
  /// because another kml may be writing it.
  std::vector<Submission> read(size_t newest = std::numeric_limits<size_t>::max(),
                               std::vector<std::string>* damaged = nullptr) const;
  /// Decides whether a submit is wanted. Of `outline`, only id, time, user, context and command are known.
  /// `objects` is the text of its objects: parsing it would take most of the time.
  using IsWanted = std::function<bool(const Submission& outline, std::string_view objects)>;
  /// The submits that are wanted. The newest `surely` submits are included without asking `is_wanted`.
  std::vector<Submission> read_if(const IsWanted& is_wanted, size_t surely = 0) const;

 private:
  std::string text() const;
  std::vector<std::string> damaged_lines(std::string_view lines, size_t begin) const;

  std::filesystem::path file_;
};

/// A job's permanent name in the records: by its submit, or by uid if kml did not submit it.
std::string disruption_key(const Json& job);
/// The permanent name of a job that no longer exists. `job_key` is from job_key().
std::string disruption_key(const std::string& run_id, const std::string& job_key);

/// The object without the contents of Secrets and without fields that the server or an earlier submit added.
Json without_secrets(Json object);

}  // namespace kml::job
