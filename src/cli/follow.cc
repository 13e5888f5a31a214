#include "cli/follow.h"

#include <algorithm>
#include <ostream>

#include "cli/outcome.h"
#include "kml/ui/clean.h"
#include "kml/ui/job_tables.h"
#include "kml/ui/log_printer.h"

namespace kml::cli {

namespace {

jobs::TailHandler handler_for(Context& context, ui::LogPrinter& printer) {
  jobs::TailHandler handler{[&context, &printer](const jobs::LogLine& line) {
                              context.end_progress();
                              printer.print(line);
                            },
                            [&context](const std::string& note) {
                              context.streams().out
                                  << std::flush;  // so that both streams on one terminal stay in order
                              context.note(context.streams().err_is_terminal ? ui::clean(note) : note);
                            },
                            [&context] { context.streams().out << std::flush; }};
  if (context.streams().err_is_terminal)
    handler.on_wait = [&context](const jobs::JobView& job) {
      context.progress("job " + job.name + " is " + in_words(job.state) + ", " +
                       ui::age(job.created, system_clock().now()) + " after its submit");
    };
  return handler;
}

ui::LogPrinter::Options printer_options(const std::vector<Json>& jobs, bool timestamps) {
  bool several_pods = jobs.size() > 1;
  for (const Json& job : jobs) {
    jobs::JobView view = jobs::view_of_job(job);
    several_pods = several_pods || view.pods > 1 || int_at(job, {"spec", "completions"}, 1) > 1;
  }
  return {several_pods, jobs.size() > 1, timestamps};
}

}  // namespace

void print_logs(Context& context, const std::vector<Json>& jobs, const FollowOptions& options) {
  ui::LogPrinter printer(context.streams(), printer_options(jobs, options.timestamps));
  jobs::read_logs(context.client(), jobs, options.tail, handler_for(context, printer));
}

int follow_jobs(Context& context, const std::vector<Json>& jobs, const FollowOptions& options) {
  ui::LogPrinter printer(context.streams(), printer_options(jobs, options.timestamps));
  jobs::TailHandler handler = handler_for(context, printer);
  jobs::Interrupt interrupt;
  int code = 0;
  try {
    jobs::follow_logs(context.client(), jobs, options.tail, interrupt, handler,
                      [&](const Json& job, const jobs::JobView& view) {
                        context.streams().out << std::flush;
                        report_end(context, job, view);
                        code = std::max(code, exit_code_of(view));
                      });
  } catch (const Error& error) {
    if (error.code != ErrorCode::interrupted) throw;
    return report_interrupt(context, jobs);
  }
  return code;
}

}  // namespace kml::cli
