#include "cli/follow.h"

#include <algorithm>
#include <set>

#include "cli/outcome.h"
#include "kml/jobs/first_error.h"
#include "kml/jobs/log_spool.h"
#include "kml/ui/clean.h"
#include "kml/ui/job_tables.h"

namespace kml::cli {

namespace {

ui::LogPrinter::Options printer_options(const FollowOptions& options) {
  const std::vector<Json>& jobs = options.selection.jobs;
  const bool any_pods =
      jobs.empty() && !(options.selection.pod_pattern + options.selection.pod_selector).empty();
  const bool several_pods =
      any_pods || jobs.size() > 1 || std::any_of(jobs.begin(), jobs.end(), has_several_pods);
  return {several_pods, jobs.size() > 1, options.timestamps, options.format, options.highlight};
}

/// Lines on standard output, events on standard error.
class Printer : public jobs::LogSink {
 public:
  Printer(Context& context, const FollowOptions& options)
      : context_(context), printer_(context.streams(), printer_options(options)) {}

  void lines(std::span<const jobs::LogLine> lines) override {
    context_.end_progress();
    printer_.print(lines);
  }

  void event(const jobs::LogEvent& event) override {
    using Kind = jobs::LogEvent::Kind;
    if (event.kind == Kind::began || event.kind == Kind::run_ended) return;
    printer_.flush();  // so that both streams on one terminal stay in order
    if (event.kind == Kind::job_ended) {
      report_end(context_, *event.job, *event.view);
      if (event.view->state == jobs::State::failed) failed_.insert(event.view->uid);
      code_ = std::max(code_, exit_code_of(*event.view));
    } else {
      context_.note(context_.streams().err_is_terminal ? ui::clean(event.text) : event.text);
    }
  }

  void pause() override { printer_.flush(); }

  void waits(const jobs::JobView& job) override {
    if (!context_.streams().err_is_terminal) return;
    context_.progress("job " + job.name + " is " + in_words(job.state) + ", " +
                      ui::age(job.created, system_clock().now()) + " after its submit");
  }

  int code() const { return code_; }
  const std::set<std::string>& failed() const { return failed_; }

 private:
  Context& context_;
  ui::LogPrinter printer_;
  int code_ = 0;
  std::set<std::string> failed_;  ///< jobs, by uid
};

/// Where lines go: first into the copy, all of them; then through the filter to the printer.
class Output {
 public:
  Output(Context& context, const FollowOptions& options, const std::string& save)
      : context_(context), printer_(context, options) {
    if (!options.rules.empty()) first_ = &filter_.emplace(options.rules, *first_);
    if (!save.empty()) first_ = &spool_.emplace(save, *first_);
  }
  jobs::LogSink& sink() { return *first_; }
  const Printer& printer() const { return printer_; }

  void finish() {
    printer_.pause();
    if (filter_ && filter_->missed_prefixes())
      context_.note("no line tells its rank; `torchrun --tee 3` puts one before each");
  }

 private:
  Context& context_;
  Printer printer_;
  std::optional<jobs::LineFilter> filter_;
  std::optional<jobs::LogSpool> spool_;
  jobs::LogSink* first_ = &printer_;
};

/// The exit code of the container that is to blame for the failure of a job; else `code`.
int container_exit_code(Context& context, const std::vector<Json>& jobs, const std::set<std::string>& failed,
                        int code) {
  for (const Json& job : jobs) {
    if (!failed.contains(string_at(job, {"metadata", "uid"}))) continue;
    const std::optional<jobs::Death> first = jobs::first_error_of(context.client(), job);
    if (first && first->exit.code != 0) return first->exit.code;
  }
  return code;
}

}  // namespace

bool has_several_pods(const Json& job) {
  return jobs::view_of_job(job).pods > 1 || int_at(job, {"spec", "completions"}, 1) > 1;
}

void print_logs(Context& context, const FollowOptions& options) {
  Output output(context, options, options.save);
  jobs::read_logs(context.client(), options.selection, output.sink());
  output.finish();
}

bool print_saved_logs(Context& context, const std::vector<std::string>& names, const FollowOptions& options) {
  const std::filesystem::path folder =
      options.save.empty() ? jobs::default_spool() : std::filesystem::path(options.save);
  Output output(context, options, "");
  for (const std::string& name : names) {
    if (!jobs::read_spool(folder, context.place().namespace_name, name, options.selection, output.sink()))
      return false;
    output.finish();
    context.note("job " + name + " is gone; this is the copy in " + folder.string());
  }
  return true;
}

int follow_jobs(Context& context, const FollowOptions& options) {
  Output output(context, options, options.save);
  jobs::Interrupt interrupt;
  try {
    jobs::follow_logs(context.client(), options.selection, interrupt, output.sink());
  } catch (const Error& error) {
    if (error.code != ErrorCode::interrupted) throw;
    return report_interrupt(context, options.selection.jobs);
  }
  output.finish();
  const Printer& printer = output.printer();
  if (!options.propagate_exit) return printer.code();
  return container_exit_code(context, options.selection.jobs, printer.failed(), printer.code());
}

}  // namespace kml::cli
