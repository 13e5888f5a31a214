#include "job/commands/follow.h"

#include <algorithm>
#include <map>
#include <set>

#include "job/commands/notify.h"
#include "job/commands/submission_outcomes.h"
#include "job/commands/wait_for_jobs.h"
#include "job/commands/worker_cluster.h"
#include "job/logs/result_lines.h"
#include "job/spool/log_spool.h"
#include "job/tables/metrics.h"
#include "job/tables/reports.h"
#include "kml/engine/watching/event_mark.h"
#include "kml/job/first_error/first_error.h"
#include "kml/job/tables/job_tables.h"
#include "kml/job/why/why.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"

namespace kml::cli {

namespace {

ui::LogPrinter::Options printer_options(const FollowOptions& options) {
  const std::vector<Json>& jobs = options.selection.jobs;
  const bool any_pods =
      jobs.empty() && !(options.selection.pod_pattern + options.selection.pod_selector).empty();
  const bool several_jobs = jobs.size() > 1 || options.selection.to_come;
  const bool several_pods =
      any_pods || several_jobs || std::any_of(jobs.begin(), jobs.end(), has_several_pods);
  return {several_pods, several_jobs, options.timestamps, options.format, options.highlight, options.live};
}

/// Prints log lines to standard output and events to standard error.
class Printer : public job::LogSink {
 public:
  Printer(Context& context, const FollowOptions& options)
      : context_(context),
        printer_(context.streams(), printer_options(options)),
        first_error_(options.first_error),
        notices_(context, options.notify) {
    if (options.metrics) metrics_.emplace(context.streams(), options.selection.jobs.size() > 1);
  }

  void lines(std::span<const job::LogLine> lines) override {
    if (first_error_) return;
    if (metrics_) return metrics_->take(lines);
    context_.end_progress();
    printer_.print(lines);
  }

  void unfinished(const job::LogLine& line) override {
    if (first_error_ || metrics_) return;
    context_.end_progress();
    printer_.show_unfinished(line);
  }

  void event(const job::LogEvent& event) override {
    using Kind = job::LogEvent::Kind;
    if (event.kind == Kind::began) {
      notices_.began(event.source->namespace_name, event.source->job);
      waiting_.erase(event.source->namespace_name + "/" + event.source->job);
    }
    if (event.kind == Kind::run_ended) printer_.end_source(*event.source);
    if (event.kind == Kind::began || event.kind == Kind::run_ended) return;
    if (metrics_) metrics_->hide();
    printer_.hide();  // keeps the two streams in order if both are shown on one terminal
    if (event.kind == Kind::job_ended) {
      report_end(context_, *event.job, *event.view);
      notices_.ended(*event.view, *event.job);
      if (has_ended(event.view->state)) ended_.push_back(*event.job);
      if (event.view->state == job::State::failed) failed_.insert(event.view->uid);
      code_ = std::max(code_, exit_code_of(*event.view));
    } else {
      context_.note(event.text);
    }
  }

  bool pause() override {
    notices_.send();
    if (metrics_) metrics_->draw();
    return printer_.pause();
  }

  void finish() {
    printer_.finish();
    notices_.send();
    if (metrics_ && !metrics_->finish())
      context_.note("no line has metrics, such as loss=0.5, acc: 0.9 or a JSON object of numbers");
  }

  void waits(const job::JobView& job) override {
    waiting_.insert_or_assign(job.namespace_name + "/" + job.name, job);
    if (!context_.streams().err_is_terminal || metrics_ || printer_.shows_unfinished()) return;
    context_.progress("job " + job.name + " is " + job::in_words(job.state) + ", " +
                      ui::age(job.created, system_clock().now()) + " after it was submitted");
  }

  int code() const { return code_; }
  const std::vector<Json>& ended() const { return ended_; }
  const std::set<std::string>& failed() const { return failed_; }
  /// The jobs that were waiting or suspended when they were last seen.
  const std::map<std::string, job::JobView>& waiting() const { return waiting_; }

 private:
  Context& context_;
  ui::LogPrinter printer_;
  const bool first_error_;
  JobNotices notices_;
  std::optional<ui::MetricsTable> metrics_;
  int code_ = 0;
  std::vector<Json> ended_;
  std::set<std::string> failed_;                 ///< failed jobs, by uid
  std::map<std::string, job::JobView> waiting_;  ///< by namespace and name
};

/// Whether the job is a sweep's trial. Trials may write event files to their logs for the sweep's engine, in
/// lines that are not shown.
bool is_trial(const Json& job) {
  return !api::label_of(job, api::kSweep).empty();
}

/// Passes all lines to the copy, and then, through the filter, to the printer.
class Output {
 public:
  Output(Context& context, const FollowOptions& options, const std::string& save)
      : context_(context), rank_marks_(options.rank_marks), printer_(context, options) {
    job::LineFilter::Rules rules = options.rules;
    const std::vector<Json>& jobs = options.selection.jobs;
    if (std::any_of(jobs.begin(), jobs.end(), is_trial)) rules.exclude.emplace_back(engine::kEventMark);
    if (options.format == ui::LogPrinter::Format::text &&
        std::any_of(jobs.begin(), jobs.end(), job::returns_result))
      first_ = &results_.emplace(*first_);
    if (!rules.empty()) first_ = &filter_.emplace(rules, *first_);
    if (options.first_error || options.propagate_exit) first_ = &evidence_.emplace(*first_);
    if (!save.empty()) first_ = &spool_.emplace(save, *first_);
  }
  job::LogSink& sink() { return *first_; }
  const Printer& printer() const { return printer_; }
  job::Evidence evidence() const { return evidence_ ? evidence_->evidence() : job::Evidence(); }

  void finish() {
    if (results_) results_->finish();
    printer_.finish();
    if (filter_ && filter_->missed_prefixes())
      context_.note("no line names its rank; `" + rank_marks_ + "` puts the rank before each line");
  }

 private:
  Context& context_;
  const std::string rank_marks_;
  Printer printer_;
  std::optional<job::ResultHider> results_;
  std::optional<job::LineFilter> filter_;
  std::optional<job::EvidenceKeeper> evidence_;
  std::optional<job::LogSpool> spool_;
  job::LogSink* first_ = &printer_;
};

void print_first_error(Context& context, const FollowOptions& options, const Json& job,
                       const std::optional<job::FirstError>& first) {
  const std::string name = api::name_of(job);
  if (!first) return context.note("kml found no pod of job " + name + " that has died");
  ui::print_first_error(context.streams(), job, *first, options.format == ui::LogPrinter::Format::json);
  if (first->lost_pods > 0)
    context.note(
        (first->only_followed() ? "this pod did not fail first; it was stopped after another pod had failed: "
                                : "another pod may have died before this one: ") +
        std::to_string(first->lost_pods) + (first->lost_pods == 1 ? " pod of job " : " pods of job ") + name +
        (first->lost_pods == 1 ? " was deleted" : " were deleted") +
        " when the job failed; to see them next time, run `kml logs -f --first-error` while "
        "the job runs");
}

bool is_failed(const Printer& printer, const Json& job) {
  return printer.failed().contains(api::uid_of(job));
}

/// The jobs as they were last seen. A job that was not waiting was running.
std::vector<job::JobView> views_at_interrupt(const std::vector<Json>& jobs, const Printer& printer) {
  std::vector<job::JobView> views;
  for (const Json& job : jobs) {
    const auto waiting = printer.waiting().find(api::full_name_of(job));
    views.push_back(waiting != printer.waiting().end() ? waiting->second : job::basic_view_of_job(job));
    if (waiting == printer.waiting().end()) views.back().state = job::State::running;
  }
  return views;
}

/// With --first-error, prints which container died first in each failed job. Returns the printer's exit code;
/// with --propagate-exit, the exit code of the container that died first in the first failed job for which it
/// is known.
int report_failures(Context& context, const FollowOptions& options, const Output& output) {
  const Printer& printer = output.printer();
  job::Evidence seen = output.evidence();
  seen.only_last_attempts = true;
  int code = printer.code();
  for (const Json& job : options.selection.jobs) {
    if (!is_failed(printer, job)) continue;
    const std::optional<job::FirstError> first = job::first_error_of(context.client(), job, seen);
    if (options.first_error) print_first_error(context, options, job, first);
    if (options.propagate_exit && code == printer.code() && first && first->death.container_code != 0)
      code = first->death.container_code;
  }
  return code;
}

}  // namespace

bool has_several_pods(const Json& job) {
  return job::view_of_job(job).pods > 1 || api::completions_of(job, 1) > 1;
}

void print_logs(Context& context, const FollowOptions& asked) {
  FollowOptions options = asked;
  options.selection.jobs = enter_clusters_of(context, asked.selection.jobs);
  if (options.selection.jobs.empty() && !asked.selection.jobs.empty()) return;
  if (options.first_error) {
    for (const Json& job : options.selection.jobs)
      print_first_error(context, options, job,
                        job::first_error_of(context.client(), job, {.only_last_attempts = true}));
    return;
  }
  Output output(context, options, options.save);
  job::read_logs(context.client(), options.selection, output.sink());
  output.finish();
}

bool print_saved_logs(Context& context, const std::vector<std::string>& names, const FollowOptions& options) {
  const std::filesystem::path folder =
      options.save.empty() ? job::default_spool() : std::filesystem::path(options.save);
  Output output(context, options, "");
  for (const std::string& name : names) {
    if (!job::read_spool(folder, context.place().namespace_name, name, options.selection, output.sink()))
      return false;
    output.finish();
    context.note("job " + name + " is gone; this is the copy of its log in " + folder.string());
  }
  return true;
}

int follow_jobs(Context& context, const FollowOptions& asked) {
  FollowOptions options = asked;
  options.live = true;
  // Unfinished lines are only shown on a terminal, and only if no copy is made, because a copy must not
  // depend on who is watching.
  const bool shows_begun_lines = context.streams().out_is_terminal && options.save.empty() &&
                                 options.rules.empty() && !options.metrics && !options.first_error;
  options.selection.unfinished = shows_begun_lines && context.place().is_local;
  options.selection.attach = shows_begun_lines && options.attach && !context.place().is_local;
  Output output(context, options, options.save);
  job::Interrupt interrupt;
  FollowedInClusters clusters(context, options.selection);
  try {
    do {
      clusters.enter(interrupt);
      job::follow_logs(context.client(), options.selection, interrupt, output.sink());
    } while (clusters.continues());
  } catch (const Error& error) {
    if (error.code != ErrorCode::interrupted) throw;
    output.finish();
    if (options.selection.to_come) return static_cast<int>(error.code);  // its caller knows what continues
    return report_interrupt(context, views_at_interrupt(options.selection.jobs, output.printer()));
  }
  output.finish();
  record_metrics(context, output.printer().ended());
  if (!options.first_error && !options.propagate_exit) return output.printer().code();
  return report_failures(context, options, output);
}

}  // namespace kml::cli
