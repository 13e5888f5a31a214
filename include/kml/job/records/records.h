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
#include "kml/job/packages/locked.h"
#include "kml/job/views/disruption.h"
#include "kml/job/views/job_view.h"

namespace kml::job {

/// The result of a job, or its state so far.
struct Outcome {
  State state = State::waiting;
  std::string cause;
  std::optional<Time> finished;
};

/// The values of one metric in the log of a run. `last` is the value at the highest step, and is NaN if the
/// training diverged there. `min` and `max` ignore NaN, unless all values are NaN.
struct Metric {
  double last = 0, min = 0, max = 0;
  long long count = 0;
};
/// As JSON: {"last", "min", "max", "count"}; see json_of_number().
Json to_json(const Metric& metric);
using RunMetrics = std::map<std::string, Metric>;

/// A nested run that a program has created in its own run with MLflow (nested=True), or a task of an array.
struct NestedRun {
  std::string id = {};  ///< the id in MLflow, or the task's number
  /// the id of its parent, if the parent is nested, too; empty if the parent is the program's run
  std::string parent = {};
  std::string name = {}, state = {};
  Time time = {};  ///< when the run started
  std::optional<Time> finished = {};
  RunMetrics metrics = {};
  std::map<std::string, std::string> params = {}, tags = {};
  std::string note = {};  ///< what the user wrote with `kml runs note`
};

/// Facts about a run in addition to those in its submit. Stored under the id of a submit, or under
/// "sweep/NAME" or "run/NAME".
struct RunNotes {
  std::map<std::string, std::string> tags;
  std::string note;
  std::optional<RunMetrics> metrics;  ///< the metrics in the run's log; empty if no log was read
  /// parameters and tags that the program itself logged with MLflow
  std::map<std::string, std::string> logged_params, logged_tags;
  std::string image_id;  ///< the image that the node ran, as in ContainerStatus.imageID
  /// the environment with the job's packages, as reported by a pod
  packages::NamedEnvironment environment;
  std::vector<NestedRun> nested;  ///< parents come before the runs nested in them
  /// facts about the nodes of its pods: "driver" (of GPUs), "kernel" and "container runtime"
  std::map<std::string, std::string> of_nodes;
};

/// The record of one submit. It shows what ran, and how to run it again.
struct Submission {
  std::string id;  ///< the objects' submit-id
  Time time;       ///< when the submit was made
  std::string user, context, namespace_name, server;
  std::string template_name;
  std::vector<std::string> command;
  std::string folder;
  std::string code_folder;    ///< the absolute path of the folder given by --code
  std::vector<Json> objects;  ///< the objects as they were sent, without the contents of secrets
  Json packages;              ///< the facts about the packages, see SubmitPlan; null if the jobs have none
  /// the state of the code, see GitState; null if there is no repository, or if kml ended too early
  Json git;
  std::map<std::string, Outcome> outcomes;  ///< known outcomes by job_key()
  bool is_open = false;                     ///< whether kml ended before it knew which objects were created

  /// The jobs among the objects.
  std::vector<const Json*> jobs() const;
  /// Removes all objects that are not in `made`, a list of job_key() names.
  void keep_made(const std::vector<std::string>& made);
};

struct SubmissionOutcome {
  std::string state;  ///< the state of a job, or "Created" or "Unknown"
  std::string cause = {};
  std::optional<Time> finished = {};
};

/// The outcome of a submission: that of the first job that did not succeed; if all succeeded, that of the
/// last job. "Unknown" if a job before that has no recorded outcome, or if kml ended during the submit.
/// "Created" if there are no jobs.
SubmissionOutcome outcome_of(const Submission& submission);

/// Whether the text that a user typed is this id of a run, or its beginning. A beginning has at least 4
/// hexadecimal digits; a shorter one is probably the name of a job, such as "f5".
bool is_run_id(std::string_view text, std::string_view id);

/// The submission as a line of the records, without its outcomes.
Json to_json(const Submission& submission);

/// The file state_folder()/runs.jsonl. Each line is a JSON object: a submit that will be sent, or a later
/// fact about it, such as the state of its code, the objects that were created, the outcome or a disruption
/// of a job, its metrics, tags, or a note.
class Submissions {
 public:
  explicit Submissions(std::filesystem::path file) : file_(std::move(file)) {}
  /// The records of the current user.
  static Submissions of_user();

  /// Call this before a submit is sent, so that its record exists even if kml is killed at any moment.
  void add_intent(const Submission& submission) const;
  /// Records which objects were created, by their job_key() names.
  void add_sent(const std::string& run_id, const std::vector<std::string>& made) const;
  /// Records the code of the run, which git reports during the submit; see GitState.
  void add_git(const std::string& run_id, const Json& git) const;
  void add_outcome(const std::string& run_id, const std::string& job_key, const Outcome& outcome) const;
  /// Records the outcome of a job that has ended. Does nothing for a job that kml did not submit.
  void add_outcome(const Json& job, const JobView& view) const;
  /// Records the outcome of a job: Cancelled if it has not ended. Call this before the job is deleted,
  /// because the server then no longer knows it.
  void add_deleted(const Json& job) const;
  /// Records a disruption of one of the job's pods. A later record about the same pod replaces an earlier
  /// one.
  void add_disruption(const Json& job, const Disruption& disruption) const;
  /// The recorded disruptions, oldest first, by disruption_key().
  std::map<std::string, std::vector<Disruption>> disruptions() const;
  /// Records what an ended run has logged. Ignores the tags and the note in `logged`, because the user sets
  /// those.
  void add_logged(const std::string& run_id, const RunNotes& logged) const;
  /// Records tags. A tag whose value is null is removed.
  void add_tags(const std::string& run_id, const Json& tags) const;
  /// Replaces the note of the run.
  void add_note(const std::string& run_id, const std::string& note) const;
  std::map<std::string, RunNotes> notes() const;
  /// The ids of the submits whose metrics were not recorded.
  std::set<std::string> without_metrics() const;
  /// All runs that have created, or may have created, any object, oldest first. Skips lines that a crash has
  /// cut, and outcomes with a state that this version of kml does not know. `damaged` gets "FILE:LINE" for
  /// each damaged line among the lines of the newest runs, because a run may be missing. Waits if another kml
  /// process is writing the last line.
  std::vector<Submission> read(size_t newest = std::numeric_limits<size_t>::max(),
                               std::vector<std::string>* damaged = nullptr) const;
  /// Decides whether read_if() returns a submit. In `outline`, only id, time, user, context and command are
  /// set. `objects` is the text of its objects, because parsing it would take most of the time.
  using IsWanted = std::function<bool(const Submission& outline, std::string_view objects)>;
  /// The submits for which `is_wanted` returns true, and those whose outline cannot be read.
  std::vector<Submission> read_if(const IsWanted& is_wanted) const;

 private:
  std::string text() const;
  std::vector<std::string> damaged_lines(std::string_view lines, size_t begin) const;

  std::filesystem::path file_;
};

/// The permanent name of a job in the records: by its submit, or by its uid if kml did not submit it.
std::string disruption_key(const Json& job);
/// The permanent name of a job that no longer exists. `job_key` comes from job_key().
std::string disruption_key(const std::string& run_id, const std::string& job_key);

/// The object; a Secret without its contents, and without the copy of them in an annotation of `kubectl
/// apply`.
Json without_secrets(Json object);

}  // namespace kml::job
