#include "kml/job/control/control.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "job/commands/accounts.h"
#include "job/commands/job_selection.h"
#include "job/commands/kept_claims.h"
#include "job/commands/lost_pods_note.h"
#include "job/commands/submission_outcomes.h"
#include "job/commands/worker_cluster.h"
#include "job/control/stop_tasks.h"
#include "job/views/lost_pods.h"
#include "kml/base/reserve.h"
#include "kml/job/attempts/attempts.h"
#include "kml/job/records/records.h"
#include "kml/job/views/find.h"
#include "kml/job/views/has_tasks.h"
#include "kml/job/views/interrupt.h"
#include "kml/job/views/job_view.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"

namespace kml::cli {

namespace {

// The part of the man page that all four commands share.
constexpr const char* kAboutSelection = R"(

Name the jobs, or select them with flags. A job is selected if it matches all of the flags and the command would change
it. Before kml changes more than ten jobs, it asks for confirmation, unless you give --yes. If kml cannot ask, because
standard input or standard error is not a terminal, it changes nothing and fails. --dry-run only lists the jobs.)";

std::string cancel_job(Context& context, const Json& job) {
  const std::string name = api::name_of(job);
  PodsElsewhere elsewhere(context, job);
  job::LostPods lost;
  const auto with_lost = [&](const std::string& text) {
    return text + (lost.empty() ? "" : ": " + lost.in_words(system_clock().now()));
  };
  switch (job::cancel(context.client(), job, [&](const Json& pod) { lost.look_at(pod); })) {
    case job::Cancel::ended: return "job " + name + " has already finished";
    case job::Cancel::again: return with_lost("job " + name + " is already being cancelled");
    case job::Cancel::by_queue:
      job::wait_until_stopped(context.client(), job);
      elsewhere.wait_until_stopped();
      break;
    case job::Cancel::without_logs:
      context.note("you may not patch pods in namespace " + api::namespace_of(job) + ", so the pods of job " +
                   name + " are deleted, with their logs");
      break;
    case job::Cancel::done: break;
  }
  return lost.empty() ? "job " + name + " cancelled" : with_lost("job " + name + " is being cancelled");
}

/// If a job has a single task or is a gang, no watch is needed: after a cancel, none of its pods start.
void wait_until_arrays_stop(Context& context, const std::vector<Json>& all) {
  std::vector<Json> arrays;
  for (const Json& job : all) {
    if (!job::has_tasks(job) || job::has_ended(job::state_of(job, false))) continue;
    arrays.push_back(job);
    const int running = job::basic_view_of_job(job).running;
    if (running > 0)
      context.note("stopping " + std::to_string(running) + " running task" + (running == 1 ? "" : "s") +
                   " of job " + api::name_of(job));
  }
  if (arrays.empty()) return;
  const job::Interrupt interrupt;
  try {
    job::wait_until_tasks_stop(context.client(), arrays, interrupt);
  } catch (const Error& error) {
    if (error.code == ErrorCode::interrupted) context.note("the tasks are still being stopped");
    throw;
  }
}

/// For more jobs, the requests would take too long.
constexpr size_t kMostLookedUp = 10;

/// A job that waited again when it was cancelled, for example after a preemption, has no pods that show how
/// long it had run, so this is noted in the job.
void note_run_time(Context& context, const Json& job) try {
  if (job::basic_view_of_job(job).running > 0) return;
  const auto ran = job::run_of_gone_pods(context.client(), job).ran;
  if (ran.count() == 0) return;
  Json change = Json::object();
  api::set_annotation(change, api::kRan, std::to_string(ran.count()));
  context.client().patch(context.client().kind_of(job), api::namespace_of(job), api::name_of(job),
                         kube::PatchType::merge, change);
} catch (const Error&) {
  // The job is cancelled, but its run time remains unknown.
}

void finish_cancel(Context& context, const std::vector<Json>& jobs) {
  wait_until_arrays_stop(context, jobs);
  if (jobs.size() > kMostLookedUp) return;
  for (const Json& job : jobs)
    if (!job::has_ended(job::state_of(job, true))) note_run_time(context, job);
}

/// Records what would be unknown after the jobs have been deleted.
void record_before_delete(Context& context, const std::vector<Json>& jobs) {
  record_accounts(context, jobs);
  if (jobs.size() > kMostLookedUp) return;
  for (const Json& job : jobs) try {
      note_lost_pods(context, "job " + api::name_of(job), {job});
      job::record_disruptions(context.client(), job, job::Submissions::of_user());
    } catch (const Error&) {
      // The history of the deleted job will lack attempts.
    }
}

std::string cancel_task(Context& context, const job::JobOrTask& task) {
  const std::string job = api::name_of(task.job);
  switch (job::cancel_task(context.client(), task)) {
    case job::TaskCancel::done: return "task " + task.name() + " cancelled";
    case job::TaskCancel::again: return "task " + task.name() + " is already being cancelled";
    case job::TaskCancel::ended: return "task " + task.name() + " has already finished";
    case job::TaskCancel::waits:
      throw Error(ErrorCode::failure, "cannot cancel task " + task.name() + " before it runs",
                  "Kubernetes cannot skip one task of a job",
                  "cancel the task once it runs, or cancel the whole job: kml cancel " + job);
    case job::TaskCancel::lost:
      throw Error(
          ErrorCode::failure, "cannot cancel task " + task.name() + " now",
          "the node of its pod does not answer, so nothing can stop the pod; once the cluster deletes the "
          "pod, Kubernetes starts the task again",
          "`kml cancel " + job + "` cancels the whole job; `kml why " + task.name() + "` names the node");
    case job::TaskCancel::retried: break;
  }
  throw Error(ErrorCode::failure, "cannot cancel one task of job " + job,
              "its tasks have retries, so Kubernetes would start the task again or let the whole job fail",
              "kml cancel " + job + " cancels the whole job");
}

std::string delete_job(Context& context, const Json& job, LastMetrics& metrics) {
  const auto record = [&](const std::function<void()>& write) {
    try {
      write();
    } catch (const Error& error) {
      if (!is_disk_full(error)) throw;
      context.note("the disk is full: `kml runs` will lack data about job " + api::name_of(job));
    }
  };
  record([&] { metrics.record(context, job); });
  job::remove(context.client(), job);
  record([&] { job::Submissions::of_user().add_deleted(job); });
  for (const std::string& note : notes_on_kept_claims(job)) context.note(note);
  return "job " + api::name_of(job) + " deleted";
}

/// The job's Kueue queue; empty if the job has none.
std::string queue_of(const Json& job) {
  return api::label_of(job, api::kKueueQueue);
}

/// The job's state, judged by the job alone: a cancelled job is still stopping if its status counts running
/// pods.
job::State state_by_status(const Json& job) {
  return job::state_of(job, api::active_pods(job) > 0 || job::basic_view_of_job(job).running > 0);
}

/// Why a job can be neither suspended nor resumed; otherwise empty.
std::string why_not(const Json& job) {
  const std::string name = api::name_of(job);
  if (state_by_status(job) == job::State::cancelling) return "job " + name + " is being cancelled";
  return job::has_ended(job::state_of(job, false)) ? "job " + name + " has already finished" : "";
}

std::string suspend_job(Context& context, const Json& job) {
  if (std::string reason = why_not(job); !reason.empty()) return reason;
  PodsElsewhere elsewhere(context, job);
  job::suspend(context.client(), job);
  if (!queue_of(job).empty()) job::wait_until_stopped(context.client(), job);
  elsewhere.wait_until_stopped();
  note_lost_pods(context, "job " + api::name_of(job), {job});
  return "job " + api::name_of(job) + " suspended";
}

std::string resume_job(Context& context, const Json& job) {
  if (std::string reason = why_not(job); !reason.empty()) return reason;
  const std::string name = api::name_of(job), queue = queue_of(job);
  if (!api::is_suspended(job) && job::state_of(job, false) != job::State::suspended)
    return "job " + name + " is not suspended";
  switch (job::resume(context.client(), job)) {
    case job::Resume::done: break;
    case job::Resume::queued: return "job " + name + " resumed: it waits in queue " + queue;
    case job::Resume::after: return "job " + name + " resumed: it waits for other jobs again";
    case job::Resume::waits: return "job " + name + " is not suspended: it waits in queue " + queue;
  }
  return "job " + name + " resumed";
}

}  // namespace

Command cancel_command() {
  Command command = command_for_each_job(
      "cancel", "Cancel jobs, but keep their records and logs",
      {.act = cancel_job,
       .applies = [](const Json& job, job::State) { return !job::has_ended(state_by_status(job)); },
       .finish = finish_cancel,
       .act_on_task = cancel_task});
  command.description =
      std::string(
          R"(The processes of a job get SIGTERM and, after the job's grace period, SIGKILL. The job becomes Cancelled.
`kml status`, `kml logs` and `kml history` still show the job; `kml delete` removes it. If the job waited in a Kueue
queue, kml also tells Kueue not to admit it, for which kml needs the right to patch workloads.kueue.x-k8s.io.

If the node of a pod does not answer, nothing can stop the pod. The job is then Cancelling until the node answers again
or is removed from the cluster.

If you cancel an array job, no more of its tasks start, and kml returns when the running ones have stopped.

"arr-3" is task 3 of the array job arr. Only a running task can be cancelled. The other tasks continue, but the job
fails because of the cancelled task. A task that has not started cannot be cancelled, because Kubernetes cannot skip a
task. A task with retries cannot be cancelled either, because Kubernetes would start it again.)") +
      kAboutSelection;
  command.examples = R"(kml cancel bert
# One task of an array job
kml cancel arr-3
kml cancel --mine --state waiting
# Only show which jobs would be cancelled
kml cancel -l team=vision --dry-run)";
  return command;
}

Command delete_command() {
  auto metrics = std::make_shared<LastMetrics>();
  Command command = command_for_each_job(
      "delete", "Delete jobs with their pods and logs",
      {.act = [metrics](Context& context, const Json& job) { return delete_job(context, job, *metrics); },
       .applies = [](const Json&, job::State) { return true; },
       .asks_for_all = true,
       .prepare = record_before_delete});
  command.description =
      std::string(
          R"(A running job is stopped first. To stop a job but keep its logs, use `kml cancel`. `kml runs` keeps the metrics of a
deleted job that this machine submitted.)") +
      kAboutSelection +
      " With --all, kml asks even if only one job is selected, unless you give --yes, because --all includes "
      "the trials of sweeps.";
  command.examples = R"(kml delete bert
kml delete --mine --state failed,cancelled --yes
# Only show which jobs would be deleted
kml delete --all --dry-run)";
  return command;
}

Command suspend_command() {
  Command command = command_for_each_job("suspend", "Suspend jobs: stop their pods and release their GPUs",
                                         {.act = suspend_job, .applies = [](const Json&, job::State state) {
                                            return !job::has_ended(state) && state != job::State::suspended;
                                          }});
  command.description =
      std::string(
          R"(A resumed job starts from the beginning, or from a checkpoint if it saved one and loads it. For a job in a
Kueue queue, kml deactivates the Workload, so that Kueue gives the job's quota to other jobs and does not restart the
job. To deactivate the Workload, kml needs the right to patch workloads.kueue.x-k8s.io. If you suspend a job that waits
for another job (--after), the end of the other job does not start the suspended job. If you then resume the suspended
job, it waits for the other job again.)") +
      kAboutSelection;
  command.examples = R"(kml suspend bert
# Your job that requests the most GPUs
kml suspend --mine --sort gpus --limit 1)";
  return command;
}

Command resume_command() {
  Command command = command_for_each_job(
      "resume", "Resume suspended jobs",
      {.act = resume_job,
       // Jobs that wait for another job are left out; to start such a job, the user must name it.
       .applies = [](const Json&, job::State state) { return state == job::State::suspended; }});
  command.description =
      std::string(
          R"(The pods of a resumed job are created again. A job that waits for another job (--after) is resumed only if you name
it. A job that was suspended in a Kueue queue goes back to that queue. A job that is merely waiting in the queue is
not changed.)") +
      kAboutSelection;
  command.examples = R"(kml resume bert
kml resume --mine)";
  return command;
}

}  // namespace kml::cli
