#include "job/commands/submission_outcomes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "job/commands/accounts.h"
#include "kml/job/views/find.h"
#include "kml/job/views/kinds.h"
#include "kml/job/views/ownership.h"
#include "kml/job/why/why.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/tracking/runs/metric_courses.h"

namespace kml::cli {

namespace {

bool is_known(const job::Submission& submission) {
  for (const Json* job : submission.jobs())
    if (!submission.outcomes.contains(job::job_key(*job))) return false;
  return true;
}

/// Whether all its jobs have ended. is_known() is not enough, because it is also true for running jobs that
/// were looked up.
bool has_ended(const job::Submission& submission) {
  return is_known(submission) &&
         std::all_of(submission.outcomes.begin(), submission.outcomes.end(),
                     [](const auto& job) { return job::has_ended(job.second.state); });
}

/// The existing jobs that kml created, by run. Lists a namespace once, when it is first needed.
class ExistingJobs {
 public:
  explicit ExistingJobs(Context& context) : context_(context) {}

  /// The jobs of a run that still exist; nullptr if one of its namespaces cannot be listed.
  const std::vector<Json>* of(const job::Submission& submission) {
    for (const Json* job : submission.jobs())
      if (!is_listed(string_at(*job, {"metadata", "namespace"}, submission.namespace_name))) return nullptr;
    return &by_run_[submission.id];
  }

  /// The job's state; for a failed job, also the cause. Only pods show an exit code, so a namespace's pods
  /// are listed as soon as its first failed job is found.
  job::JobView view_of(const Json& job) {
    const job::JobView view = job::view_of_job(job);
    return view.state == job::State::failed ? job::view_of_job(job, pods_in(api::namespace_of(job)).of(job))
                                            : view;
  }

 private:
  const job::PodsByJob& pods_in(const std::string& namespace_name) {
    const auto [place, is_new] = pods_.try_emplace(namespace_name);
    if (is_new) try {
        place->second = job::list_pods(context_.client(), namespace_name);
      } catch (const Error&) {
        // If the user may not list pods, the cause is less precise.
      }
    return place->second;
  }

  bool is_listed(const std::string& namespace_name) {
    const auto [place, is_new] = listed_.emplace(namespace_name, false);
    if (is_new && is_reachable_) place->second = list(namespace_name);
    return place->second;
  }

  bool list(const std::string& namespace_name) try {
    for (Json& job : job::list_jobs(context_.client(), namespace_name, "app.kubernetes.io/managed-by=kml"))
      by_run_[api::label_of(job, api::kSubmitId)].push_back(std::move(job));
    return true;
  } catch (const Error& error) {
    context_.note("outcomes in namespace " + namespace_name + " could not be updated: " + error.message);
    if (error.code == ErrorCode::unreachable) is_reachable_ = false;
    return false;
  }

  Context& context_;
  std::map<std::string, bool> listed_;
  std::map<std::string, std::vector<Json>> by_run_;
  std::map<std::string, job::PodsByJob> pods_;
  bool is_reachable_ = true;
};

/// If kml ended in the middle of a submit, completes the run's record from the existing jobs. If none exist,
/// they may have been deleted since, so the record stays open.
void close(job::Submission& submission, const std::vector<Json>& there, const job::Submissions& records) {
  if (there.empty()) return;
  std::vector<std::string> made;
  for (const Json& job : there) made.push_back(job::job_key(job));
  for (const Json& object : submission.objects)
    if (!job::is_job(object)) made.push_back(job::job_key(object));
  records.add_sent(submission.id, made);
  submission.keep_made(made);
}

/// Like close(), for a submit that created no jobs. Its objects are not in lists of jobs, so each one needs a
/// request. Runs with many objects are skipped.
void close_without_jobs(Context& context, job::Submission& submission, const job::Submissions& records) try {
  constexpr size_t kMost = 20;
  if (submission.objects.size() > kMost) return;
  kube::Client& client = context.client();
  std::vector<std::string> made;
  for (const Json& object : submission.objects) {
    const auto there =
        client.get_if_exists(client.kind_of(object), api::namespace_of(object), api::name_of(object));
    if (there && api::label_of(*there, api::kSubmitId) == submission.id) made.push_back(job::job_key(object));
  }
  if (made.empty()) return;
  records.add_sent(submission.id, made);
  submission.keep_made(made);
} catch (const Error& error) {
  context.note("the outcome of run " + submission.id.substr(0, 8) + " is unknown: " + error.message);
}

void look_up_outcomes(Context& context, ExistingJobs& existing, std::vector<job::Submission>& submissions) {
  const job::Submissions records = job::Submissions::of_user();
  for (job::Submission& submission : submissions) {
    if (submission.context != context.place().context) continue;
    if (submission.is_open && submission.jobs().empty()) close_without_jobs(context, submission, records);
    if (is_known(submission)) continue;
    const std::vector<Json>* there = existing.of(submission);
    if (!there) continue;
    if (submission.is_open) close(submission, *there, records);
    for (const Json& job : *there) {
      const job::JobView view = existing.view_of(job);
      const job::Outcome outcome{view.state, view.cause, view.finished};
      submission.outcomes[job::job_key(job)] = outcome;
      if (job::has_ended(view.state)) records.add_outcome(submission.id, job::job_key(job), outcome);
    }
  }
}

/// The runs of the current context whose jobs have ended, and whose metrics have not been read.
std::vector<const job::Submission*> without_metrics(Context& context,
                                                    const std::vector<job::Submission>& submissions,
                                                    std::map<std::string, job::RunNotes>& notes) {
  std::vector<const job::Submission*> found;
  for (const job::Submission& submission : submissions)
    if (submission.context == context.place().context && !submission.jobs().empty() &&
        has_ended(submission) && !notes[submission.id].metrics)
      found.push_back(&submission);
  return found;
}

/// Records metrics as long as the disk has space. The next `kml runs` records the others.
class MetricsRecorder {
 public:
  void record(const std::string& run_id, const tracking::MetricCollector& metrics) try {
    if (!full_) tracking::record_metrics(run_id, metrics);
  } catch (const Error& error) {
    if (error.reason != "InsufficientStorage") throw;
    full_ = error;
  }
  void tell(Context& context) const {
    if (full_)
      context.note("metrics are shown, but could not be recorded: " + message_and_why(*full_) +
                   "; free up space there, then run `kml runs` again before the jobs are deleted");
  }

 private:
  std::optional<Error> full_;
};

void look_up_metrics(Context& context, ExistingJobs& existing,
                     const std::vector<job::Submission>& submissions,
                     std::map<std::string, job::RunNotes>& notes) {
  constexpr size_t kMany = 100;  // this takes seconds
  std::vector<Json> ended;
  MetricsRecorder recorder;
  const auto unread = without_metrics(context, submissions, notes);
  if (unread.size() > kMany)
    context.note(fmt::format("reading the metrics of {} runs from their logs, once", unread.size()));
  for (const job::Submission* each : unread) try {
      const job::Submission& submission = *each;
      job::RunNotes& known = notes[submission.id];
      const std::vector<Json>* there = existing.of(submission);
      if (!there) continue;
      tracking::MetricCollector metrics;
      if (!there->empty()) metrics = tracking::metrics_of_job(context.client(), there->front());
      job::RunNotes logged = tracking::notes_of(metrics);
      recorder.record(submission.id, metrics);
      ended.insert(ended.end(), there->begin(), there->end());
      logged.tags = std::move(known.tags);
      logged.note = std::move(known.note);
      known = std::move(logged);
    } catch (const Error& error) {
      context.note("the metrics of run " + each->id.substr(0, 8) +
                   " could not be read: " + message_and_why(error));
      if (error.code == ErrorCode::unreachable) return;
    }
  recorder.tell(context);
  record_gpu_time(context, ended);
}

}  // namespace

void look_up_outcomes(Context& context, std::vector<job::Submission>& submissions) {
  ExistingJobs existing(context);
  look_up_outcomes(context, existing, submissions);
}

void look_up_outcomes_and_metrics(Context& context, std::vector<job::Submission>& submissions,
                                  std::map<std::string, job::RunNotes>& notes) {
  ExistingJobs existing(context);
  look_up_outcomes(context, existing, submissions);
  look_up_metrics(context, existing, submissions, notes);
}

void record_metrics(Context& context, const std::vector<Json>& jobs) try {
  record_gpu_time(context, jobs);
  for (const Json& job : jobs) {
    const std::string id = api::label_of(job, api::kSubmitId);
    if (!id.empty()) tracking::record_metrics(id, tracking::metrics_of_job(context.client(), job));
  }
} catch (const Error&) {
  // The job's outcome does not depend on its metrics. `kml runs` tries again while the log exists.
}

void LastMetrics::record(Context& context, const Json& job) try {
  const std::string id = api::label_of(job, api::kSubmitId);
  if (id.empty()) return;
  if (!wanted_) wanted_ = job::Submissions::of_user().without_metrics();
  if (wanted_->erase(id) > 0)
    tracking::record_metrics(id, tracking::metrics_of_job(context.client(), job, limit_));
} catch (const Error& error) {
  if (error.code == ErrorCode::unreachable) limit_ = std::chrono::milliseconds(200);
  context.note("the metrics of job " + api::name_of(job) +
               " could not be kept before it was deleted: " + message_and_why(error));
}

}  // namespace kml::cli
