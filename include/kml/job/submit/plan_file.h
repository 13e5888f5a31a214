#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "kml/base/clock.h"
#include "kml/base/json.h"
#include "kml/job/submit/submit.h"

namespace kml::job {

/// Why nothing limits how many GPU hours a job may use, although it may have a time limit.
struct NoLimit {
  std::string why;  ///< "a rule of its failure policy restarts it without a limit"
  std::string fix;  ///< how to plan the job with a limit
};

/// Why a job in a queue of Kueue has no limit, unless Kueue itself limits the time of all starts.
NoLimit no_limit_in_queues();

/// The resources that a job of a plan requests.
struct PlannedJob {
  std::string kind, name;
  int pods = 0;        ///< how many pods may run at the same time, including those that an autoscaler may add
  long long gpus = 0;  ///< the GPUs of these pods together
  /// the GPU hours until the time limit, and for the grace period after it, in all starts together; empty if
  /// there is no limit, or if the size is unknown
  std::optional<double> gpu_hours = {};
  std::optional<NoLimit> no_limit = {};  ///< why there is no limit; empty if only a time limit is missing
  /// whether `gpu_hours` also holds if the job names no queue, and Kueue puts it into one
  bool spans_queues = false;
  /// whether its manifest does not show how many pods it has; see why_uncountable()
  bool is_size_unknown = false;
};

/// What a command would do, to be reviewed and applied later: the file that `kml submit --plan` writes.
struct PlanFile {
  std::string id;                  ///< the value of plan_id(); also the idempotency key of the jobs
  std::string command = "submit";  ///< "submit", "rerun", "sweep", "run" or "serve"
  Time made = {};
  std::string user;                             ///< who made the plan
  std::string context, namespace_name, server;  ///< see server_of_plan()
  std::string submit;                           ///< the command line, for people
  Json request;               ///< what the command line requests, so that it can be planned again
  std::vector<Json> objects;  ///< reviewed_objects(); for a command other than submit, what it would start
  /// planned_jobs(); for a command other than submit, the parts of what it starts
  std::vector<PlannedJob> jobs;
  std::vector<std::string> other_holders;  ///< see other_holders()
  std::vector<std::string> outlooks;       ///< see Rehearsal::outlooks
  std::vector<std::string> unknown;        ///< the checks that could not be made
  std::vector<std::string> notes;
};

/// The submit-id of the objects in a plan. Each `kml apply` generates a new id.
inline constexpr std::string_view kPlannedSubmitId = "0000000000000000";
/// The idempotency key with which a submit is planned when its plan id is computed.
inline constexpr std::string_view kKeyOfUnnamedPlan = "plan";

/// The server in a plan: its URL. The embedded server is "local", because its URL changes.
std::string server_of_plan(const std::string& url, bool is_local);

/// The part of a submit that a reviewer sees: its objects, without the contents of Secrets and without values
/// that differ between plans or users.
std::vector<Json> reviewed_objects(const SubmitPlan& plan);
/// Like reviewed_objects(), for a single object.
Json reviewed(const Json& object);

/// A hash of what would be sent, and where. `objects` are the reviewed objects of the submit when it is
/// planned with kKeyOfUnnamedPlan. The hash covers the code of a job, because the Secrets with the code are
/// named by their contents. It does not cover the values of secret variables: with a hash of them, a reader
/// of the plan could test guesses.
std::string plan_id(const std::string& server, const std::string& namespace_name,
                    const std::vector<Json>& objects);
/// Like plan_id(), for a command that is not a submit: the hash also covers the command's jobs.
std::string plan_id(const PlanFile& plan);

/// The jobs among the objects.
std::vector<PlannedJob> planned_jobs(const std::vector<Json>& objects);
/// The objects that may hold GPUs which kml cannot count: `Deployment "web"`, which is not a job, or `RayJob
/// "ray", whose autoscaler has no maxReplicas`.
std::vector<std::string> other_holders(const std::vector<Json>& objects);
/// The sum of the jobs' GPU hours. Empty if a job has no limit, or if there are other holders.
std::optional<double> gpu_hours_of(const PlanFile& plan);
/// Whether the plan's objects are jobs that kml creates at once. True for the plan of a submit or a rerun.
bool has_only_jobs(const PlanFile& plan);

Json to_json(const PlanFile& plan);
/// Throws usage Error if the file is not a plan, or was changed after it was written.
PlanFile read_plan_file(const std::filesystem::path& file);

/// The first difference between what a plan shows and what would be sent now, as one line.
std::string changed_since(const std::vector<Json>& planned, const std::vector<Json>& now);

}  // namespace kml::job
