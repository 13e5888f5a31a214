#include "job/commands/wait_for_jobs.h"

#include <algorithm>

#include "job/commands/notify.h"
#include "job/commands/submission_outcomes.h"
#include "kml/job/control/wait.h"
#include "kml/job/records/records.h"
#include "kml/job/views/find.h"
#include "kml/job/views/ownership.h"
#include "kml/job/why/why.h"
#include "kml/kube/objects/object.h"

namespace kml::cli {

int exit_code_of(const job::JobView& job) {
  return job.state == job::State::succeeded ? 0 : static_cast<int>(ErrorCode::job_failed);
}

std::string end_in_words(const job::JobView& view) {
  std::string text = "job " + view.name + " " +
                     (view.state == job::State::succeeded   ? "succeeded"
                      : view.state == job::State::cancelled ? "was cancelled"
                                                            : "failed");
  if (view.started && view.finished) text += " after " + short_duration(*view.finished - *view.started);
  if (!view.cause.empty()) text += ": " + view.cause;
  return text;
}

void report_end(Context& context, const Json& job, const job::JobView& view) {
  context.note(end_in_words(view));
  job::Submissions::of_user().add_outcome(job, view);
}

int report_interrupt(Context& context, const std::vector<Json>& jobs) {
  if (jobs.size() == 1) {
    const std::string name = api::name_of(jobs[0]);
    context.note("the job keeps running; `kml logs -f " + name + "` follows it, `kml cancel " + name +
                 "` stops it");
  } else if (!jobs.empty()) {
    context.note("the jobs keep running");
  }
  return static_cast<int>(ErrorCode::interrupted);
}

namespace {

void report_goal(Context& context, const job::JobView& job, const job::WaitGoal& goal) {
  const std::string text = goal.kind == job::WaitGoal::Kind::deletion ? "is deleted"
                           : goal.kind == job::WaitGoal::Kind::running
                               ? "is running"
                               : "has condition " + goal.condition + "=" + goal.status;
  context.note("job " + job.name + " " + text);
}

void note_start(JobNotices& notices, const Json& job, bool is_news) {
  if (job::basic_view_of_job(job).state == job::State::running)
    notices.began(api::namespace_of(job), api::name_of(job), is_news);
}

}  // namespace

int wait_for_jobs(Context& context, const std::vector<Json>& jobs,
                  std::optional<std::chrono::seconds> timeout, const job::WaitGoal& goal,
                  const std::vector<std::string>& notify) {
  JobNotices notices(context, notify);
  for (const Json& job : jobs) note_start(notices, job, false);
  job::Interrupt interrupt;
  int code = 0;
  std::vector<Json> ended;
  const auto report = [&](const Json& job, job::JobView view, bool reached) {
    const bool is_end = goal.kind == job::WaitGoal::Kind::end;
    if (reached && !is_end) return report_goal(context, view, goal);
    if (view.state == job::State::failed) {
      // Pods have details that the job lacks: an exit code, a signal, or that the program does not exist.
      const job::PodsByJob pods(job::pods_of(context.client(), job));
      view = job::view_of_job(job, pods.of(job));
    }
    report_end(context, job, view);
    if (!reached) context.note("so job " + view.name + " cannot reach the goal of --for any more");
    notices.ended(view, job);
    ended.push_back(job);
    code = std::max(code, is_end ? exit_code_of(view) : static_cast<int>(ErrorCode::job_failed));
  };
  const auto progress = [&, start = std::chrono::steady_clock::now()](size_t open, const Json& job) {
    const job::JobView view = job::view_of_job(job);
    std::string text = open == 1 ? "job " + view.name + " is " + job::in_words(view.state)
                                 : std::to_string(open) + " jobs have not finished";
    context.progress(text + ", waited for " + short_duration(std::chrono::steady_clock::now() - start));
  };
  try {
    job::WaitOptions options{goal, timeout};
    if (!notify.empty()) {
      options.on_look = [&](const Json& job) { note_start(notices, job, true); };
      options.on_pause = [&] { notices.send(); };
    }
    if (goal.kind != job::WaitGoal::Kind::deletion)
      options.on_note = [&](const std::string& note) {
        context.end_progress();
        context.note(note);
      };
    if (context.streams().err_is_terminal) options.on_progress = progress;
    job::wait_for(context.client(), jobs, options, interrupt, report);
  } catch (const Error& error) {
    context.end_progress();
    if (error.code != ErrorCode::interrupted) throw;
    return report_interrupt(context, jobs);
  }
  notices.send();
  record_metrics(context, ended);
  return code;
}

}  // namespace kml::cli
