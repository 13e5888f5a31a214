#include "job/commands/wait_for_jobs.h"

#include <algorithm>

#include "job/commands/notify.h"
#include "job/commands/submission_outcomes.h"
#include "kml/job/attempts/attempts.h"
#include "kml/job/control/wait.h"
#include "kml/job/kinds/job_kind.h"
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
  if (job::waits_in_vain(view)) return "job " + view.name + " " + view.cause;
  std::string text = "job " + view.name + " " +
                     (view.state == job::State::succeeded   ? "succeeded"
                      : view.state == job::State::cancelled ? "was cancelled"
                                                            : "failed");
  if (const auto ran = view.run_time()) text += " after " + short_duration(*ran);
  if (!view.cause.empty()) text += ": " + view.cause;
  return text;
}

void report_end(Context& context, const Json& job, const job::JobView& view) {
  context.note(end_in_words(view));
  if (job::waits_in_vain(view))
    context.note("`kml resume " + view.name + "` starts it anyway, `kml cancel " + view.name +
                 "` cancels it");
  else
    job::Submissions::of_user().add_outcome(job, view);
}

namespace {

bool can_be_cancelled(const job::JobView& job) {
  const auto kinds = job::described_kinds();
  return std::ranges::none_of(
      kinds, [&](const job::JobKind* kind) { return kind->name == job.kind && kind->cancel.is_null(); });
}

/// What the job still does, and the commands that change it.
std::string left_in_words(const job::JobView& job) {
  const std::string& name = job.name;
  const std::string cancels = (can_be_cancelled(job) ? ", `kml cancel " : ", `kml delete ") + name + "` ";
  switch (job.state) {
    case job::State::waiting:
      return "the job still waits to start; `kml why " + name + "` says why" + cancels + "cancels it";
    case job::State::suspended:
      return "the job is still suspended; `kml resume " + name + "` starts it" + cancels + "cancels it";
    case job::State::cancelling: return "the job is still stopping";
    default: break;
  }
  return "the job keeps running; `kml logs -f " + name + "` follows it" + cancels + "stops it";
}

}  // namespace

int report_interrupt(Context& context, const std::vector<job::JobView>& jobs) {
  const bool all_run =
      std::ranges::all_of(jobs, [](const job::JobView& job) { return job.state == job::State::running; });
  if (jobs.size() == 1)
    context.note(left_in_words(jobs[0]));
  else if (!jobs.empty())
    context.note(all_run ? "the jobs keep running" : "the jobs continue; `kml list` shows their states");
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

/// The view with what only pods show: when the job ran, an exit code, a signal, or that the program does not
/// exist. The view of a deleted job stays as it is, and that of a job whose pods cannot be read.
job::JobView with_pods(Context& context, const Json& job, job::JobView view) try {
  const job::PodsByJob pods(job::pods_of(context.client(), job));
  job::JobView whole = job::view_of_job(job, pods.of(job));
  if (whole.state != view.state) return view;
  job::add_earlier_run(context.client(), job, whole);
  return whole;
} catch (const Error& error) {
  if (error.code == ErrorCode::interrupted || view.state == job::State::failed) throw;
  return view;
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
  std::vector<job::JobView> left;  // after a signal
  const auto report = [&](const Json& job, job::JobView view, bool reached) {
    const bool is_end = goal.kind == job::WaitGoal::Kind::end;
    if (reached && !is_end) return report_goal(context, view, goal);
    if (view.state == job::State::running)
      return context.note("job " + view.name + " is running; a job of kind " + view.kind +
                          " runs until it is deleted");
    if (has_ended(view.state)) view = with_pods(context, job, std::move(view));
    report_end(context, job, view);
    if (!reached) context.note("so job " + view.name + " cannot reach the goal of --for any more");
    notices.ended(view, job);
    if (has_ended(view.state)) ended.push_back(job);
    code = std::max(code, is_end ? exit_code_of(view) : static_cast<int>(ErrorCode::job_failed));
  };
  const auto progress = [&, start = std::chrono::steady_clock::now()](size_t open, const Json& job) {
    const job::JobView view = job::view_of_job(job);
    std::string text = open == 1 ? "job " + view.name + " is " + job::in_words(view.state)
                                 : std::to_string(open) + " jobs have not finished";
    context.progress(text + ", waited for " + short_duration(std::chrono::steady_clock::now() - start));
  };
  try {
    job::WaitOptions options{
        .goal = goal, .gives_up_stuck = true, .ends_with_running = true, .timeout = timeout};
    options.on_interrupt = [&](const std::vector<Json>& jobs_left) {
      for (const Json& job : jobs_left) left.push_back(job::view_of_job(job));
    };
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
    return report_interrupt(context, left);
  }
  notices.send();
  record_metrics(context, ended);
  return code;
}

}  // namespace kml::cli
