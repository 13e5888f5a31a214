#include <memory>

#include "cli/commands.h"
#include "cli/follow.h"
#include "cli/job_selection.h"
#include "cli/log_selection.h"
#include "kml/jobs/spool/log_spool.h"

namespace kml::cli {

namespace {

struct LogsOptions {
  LogSelectionFlags selection;
  std::string save, output;
  std::vector<std::string> highlight;
  bool follow = false, keep = false, timestamps = false, propagate_exit = false, first_error = false,
       metrics = false, raw = false;
};

ui::LogPrinter::Format format_of(const LogsOptions& options) {
  if (options.raw && options.output == "json") throw usage_error("both --raw and -o json were given");
  if (options.output == "json") return ui::LogPrinter::Format::json;
  return options.raw || options.output == "raw" ? ui::LogPrinter::Format::raw : ui::LogPrinter::Format::text;
}

/// The options of an engine that knows no flags; empty where no job is meant by them.
std::optional<FollowOptions> follow_options(Context& context, const LogsOptions& options) {
  FollowOptions follow{{}, options.timestamps, options.save, options.propagate_exit};
  if (options.keep) follow.save = jobs::default_spool();
  follow.first_error = options.first_error;
  follow.metrics = options.metrics;
  if (follow.metrics && follow.save.empty()) follow.selection.cut = kube::LogCut::redraws;
  follow.format = format_of(options);
  follow.highlight = options.highlight;
  read_log_selection(context, options.selection, follow);
  if (selects_pods_only(options.selection)) return follow;
  try {
    follow.selection.jobs =
        selected_jobs(context, {options.selection.names, job_selector(options.selection)});
  } catch (const Error& error) {
    if (error.reason == "NotFound" && select_index(context, options.selection, follow)) return follow;
    // Of a job that is gone a copy may be left.
    if (error.reason == "NotFound" && print_saved_logs(context, options.selection.names, follow)) return {};
    throw;
  }
  if (follow.selection.jobs.empty()) {
    context.note("no such jobs in namespace " + context.place().namespace_name);
    return {};
  }
  select_rank(options.selection, follow);
  return follow;
}

int run_logs(Context& context, const LogsOptions& options) {
  if (options.propagate_exit && !options.follow)
    throw usage_error("--propagate-exit needs -f", "only who waits for a job's end learns its exit code");
  if (options.first_error && selects_pods_only(options.selection))
    throw usage_error("--first-error needs a job", "pods that are of none do not fail together");
  if (options.metrics && (options.first_error || options.raw || !options.output.empty()))
    throw usage_error("--metrics prints a table: leave out --first-error, --raw and -o");
  const std::optional<FollowOptions> follow = follow_options(context, options);
  if (!follow) return 0;
  if (options.follow) return follow_jobs(context, *follow);
  print_logs(context, *follow);
  return 0;
}

}  // namespace

Command logs_command() {
  auto options = std::make_shared<LogsOptions>();
  Command command{"logs", "Print or follow the logs of jobs, all pods and attempts"};
  command.description =
      "What is there is merged by time; with -f lines are printed as they come, from a job that has not "
      "started\n"
      "on (each change of the reason why it waits is told), through restarts and new attempts, until all of "
      "the\n"
      "jobs have ended; the exit code is 3 where one failed. Lines that can no longer be read are reported.\n"
      "On a terminal only colours of a line's escape sequences are left, and of a progress bar its last "
      "state;\n"
      "into a pipe lines go as they were written. Notes are on standard error.\n"
      "\n"
      "A gap is reported where kml's own server had removed lines before they were read, and where the last\n"
      "line that was read is no longer in the log that a cluster's node returns. Two gaps leave no trace "
      "and\n"
      "cannot be reported: a node serves only the newest file of a log (the kubelet's containerLogMaxSize, "
      "10Mi\n"
      "by default), so lines that were rotated away before kml's first request are missing, and so is "
      "whatever\n"
      "a node did not write, for example because its disk was full.";
  command.examples =
      "  kml logs -f bert                              from pending to the end; exit code 3 where it failed\n"
      "  kml logs bert --first-error                   who died first, and its last lines\n"
      "  kml logs -f bert --rank 3                     one rank, also of several in a pod\n"
      "  kml logs lr-search-8                          index 8 of the Indexed Job lr-search\n"
      "  kml logs -f --sweep lr-search --metrics          all trials of a sweep\n"
      "  kml logs -l team=vision --since 1h --include '(?i)error|nan'\n"
      "  kml logs --pods '^etl-' --highlight warn      pods of the namespace by name\n"
      "  kml logs -f bert --metrics                    the latest loss of each pod\n"
      "  kml logs bert -o json | jq -r 'select(.rank == 0).text'\n"
      "  kml logs -f bert --save logs --propagate-exit keep a copy, and exit as the program did";
  add_log_selection(command, options->selection);
  command.flag("-f,--follow", options->follow, "go on until the job ends");
  command.flag(
      "--first-error", options->first_error,
      "instead of the log: which pod died first, how, and its last lines; with -f once the job has failed");
  command.flag(
      "--metrics", options->metrics,
      "instead of the log: the latest numbers of each pod (loss=0.5, acc: 0.9, JSON), with their course");
  command.flag("--propagate-exit", options->propagate_exit,
               "with -f: exit as the container that died first did, not with 3");
  command.option("--highlight", "REGEX", options->highlight, "show what it matches inverse, on a terminal");
  command.flag("--timestamps", options->timestamps, "print each line's time");
  command.choice("-o,--output", {"json", "raw"}, options->output,
                 "an object a line, or the lines alone as they were written, on a terminal too");
  command.flag("--raw", options->raw, "as -o raw");
  command.option("--save", "DIR", options->save,
                 "also keep a complete copy there; the same command goes on with it after a break");
  command.flag("--keep", options->keep, "keep that copy where kml looks for the logs of jobs that are gone");
  command.run = [options](Context& context) { return run_logs(context, *options); };
  return command;
}

}  // namespace kml::cli
