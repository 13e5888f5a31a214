#include "kml/jobs/control/control.h"

#include "cli/commands.h"
#include "cli/job_selection.h"
#include "kml/api/object.h"
#include "kml/jobs/records/records.h"
#include "kml/jobs/views/job_view.h"

namespace kml::cli {

namespace {

// What all four commands say of their selection.
constexpr const char* kAboutSelection =
    "Name the jobs, or select them with flags. A job is taken where it meets each of the flags, and where "
    "the\n"
    "command would change it. It asks before it touches more than ten jobs; --yes answers. Without a "
    "terminal\n"
    "to ask on it refuses then. --dry-run prints which jobs it would touch, and touches none.";

bool has_ended_already(const Json& job) {
  return jobs::has_ended(jobs::state_of(job, false));
}

std::string cancel_job(Context& context, const Json& job) {
  const std::string name = api::name_of(job);
  switch (jobs::cancel(context.client(), job)) {
    case jobs::Cancel::ended: return "job " + name + " had ended already";
    case jobs::Cancel::again: return "job " + name + " is already being cancelled";
    case jobs::Cancel::done: break;
  }
  return "job " + name + " cancelled";
}

std::string cancel_task(Context& context, const jobs::JobOrTask& task) {
  const std::string job = api::name_of(task.job);
  switch (jobs::cancel_task(context.client(), task)) {
    case jobs::TaskCancel::done: return "task " + task.name() + " cancelled";
    case jobs::TaskCancel::again: return "task " + task.name() + " is already being cancelled";
    case jobs::TaskCancel::ended: return "task " + task.name() + " had ended already";
    case jobs::TaskCancel::waits:
      throw Error(ErrorCode::failure, "cannot cancel task " + task.name() + " before it runs",
                  "Kubernetes cannot leave out one task of a job",
                  "cancel it once it runs, or the whole job: kml cancel " + job);
    case jobs::TaskCancel::retried: break;
  }
  throw Error(ErrorCode::failure, "cannot cancel one task of job " + job,
              "its tasks have retries, so Kubernetes would start the task again or let the whole job fail",
              "kml cancel " + job + " ends the whole job");
}

std::string delete_job(Context& context, const Json& job) {
  jobs::remove(context.client(), job);
  jobs::RunRecords::of_user().add_deleted(job);
  return "job " + api::name_of(job) + " deleted";
}

std::string set_suspended(Context& context, const Json& job, bool suspended) {
  const std::string name = api::name_of(job);
  if (has_ended_already(job)) return "job " + name + " has ended already";
  jobs::set_suspended(context.client(), job, suspended);
  return "job " + name + (suspended ? " suspended" : " resumed");
}

}  // namespace

Command cancel_command() {
  Command command = command_for_each_job(
      "cancel", "End jobs; their record and logs stay",
      {.act = cancel_job,
       .applies = [](const Json& job) { return !jobs::has_ended(jobs::state_of(job, true)); },
       .act_on_task = cancel_task});
  command.description =
      std::string(
          "A job's processes get SIGTERM, and SIGKILL after its grace. The job counts as cancelled and can\n"
          "still be looked at with `kml status`, `kml logs` and `kml history`; `kml delete` removes it.\n"
          "\"arr-3\" is task 3 of the array job arr. One task is cancelled while it runs, and the others go\n"
          "on; the job then counts as failed, with this task as the one that failed. kml refuses where the\n"
          "task has not started, as Kubernetes cannot leave one out, and where the tasks have retries, as\n"
          "Kubernetes would start it again.\n") +
      kAboutSelection;
  command.examples =
      "  kml cancel bert\n"
      "  kml cancel arr-3                              one task of an array job\n"
      "  kml cancel --mine --state waiting\n"
      "  kml cancel -l team=vision --dry-run           which jobs it would be";
  return command;
}

Command delete_command() {
  Command command = command_for_each_job(
      "delete", "Remove jobs with their pods and logs",
      {.act = delete_job, .applies = [](const Json&) { return true; }, .asks_for_all = true});
  command.description =
      std::string("A job that runs is ended first. `kml cancel` ends a job and keeps its logs.\n") +
      kAboutSelection + "\n--all asks whatever the number of jobs, since trials of sweeps are among them.";
  command.examples =
      "  kml delete bert\n"
      "  kml delete --mine --state failed,cancelled\n"
      "  kml delete --all --dry-run                    which jobs it would be";
  return command;
}

Command suspend_command() {
  Command command = command_for_each_job(
      "suspend", "Pause jobs: their pods end and give their GPUs back",
      {.act = [](Context& context, const Json& job) { return set_suspended(context, job, true); },
       .applies = [](const Json& job) { return !has_ended_already(job) && !api::is_suspended(job); }});
  command.description =
      std::string(
          "The job starts anew with `kml resume`; what it keeps is what it has written to a "
          "checkpoint.\n") +
      kAboutSelection;
  command.examples =
      "  kml suspend bert\n"
      "  kml suspend --mine --sort gpus --limit 1      the one that asks for most GPUs";
  return command;
}

Command resume_command() {
  Command command = command_for_each_job(
      "resume", "Let suspended jobs go on",
      {.act = [](Context& context, const Json& job) { return set_suspended(context, job, false); },
       // Not those that wait for another job: who wants these to start names them.
       .applies = [](const Json& job) { return jobs::state_of(job, false) == jobs::State::suspended; }});
  command.description = kAboutSelection;
  command.examples =
      "  kml resume bert\n"
      "  kml resume --mine";
  return command;
}

}  // namespace kml::cli
