#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/commands.h"
#include "job/commands/follow.h"
#include "job/commands/job_selection.h"
#include "job/logs/rank_prefix.h"
#include "job/spool/log_spool.h"
#include "kml/base/clock.h"
#include "kml/base/flag_duration.h"
#include "kml/base/flag_errors.h"
#include "kml/job/views/has_tasks.h"
#include "kml/job/views/pod_view.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "schedule/commands/why_schedule.h"

namespace kml::cli {

namespace {

/// The flags of `kml logs` that select log lines, as typed.
struct LogSelectionFlags {
  std::vector<std::string> names;
  std::string selector, sweep, pods, pod_selector, container;
  std::optional<long long> rank, attempt, tail;
  bool all_ranks = false, previous = false;
  std::optional<std::chrono::seconds> since;
  std::string since_time, until;
  std::vector<std::string> include, exclude;
};

std::optional<Time> moment(const std::string& text, const std::string& flag) {
  if (text.empty()) return {};
  if (const auto time = parse_rfc3339(text)) return time;
  if (parse_duration(text)) return system_clock().now() - duration_in_flag(text, flag);
  throw invalid_value(text, flag, "a time such as 2026-11-21T14:05:06Z, or an age: 90s, 15m, 2h");
}

/// The label selector for jobs; empty if jobs are selected by name.
std::string job_selector(const LogSelectionFlags& flags) {
  if (flags.sweep.empty()) return flags.selector;
  return std::string(api::kSweep) + "=" + flags.sweep + (flags.selector.empty() ? "" : "," + flags.selector);
}

/// Whether the flags select pods in the namespace regardless of their jobs.
bool selects_pods_only(const LogSelectionFlags& flags) {
  return flags.names.empty() && job_selector(flags).empty() &&
         (!flags.pods.empty() || !flags.pod_selector.empty());
}

void check(const LogSelectionFlags& flags) {
  if (flags.rank && flags.all_ranks) throw not_together("--rank", "--all-ranks");
  if (flags.since && !flags.since_time.empty()) throw not_together("--since", "--since-time");
  if (!flags.pod_selector.empty() && (!flags.names.empty() || !job_selector(flags).empty()))
    throw not_together("a job", "--pod-selector", "--pod-selector selects among all pods of the namespace",
                       "--pods REGEX selects among a job's pods");
  if (flags.rank && selects_pods_only(flags))
    throw usage_error("--rank needs a job", "only a job's pods have ranks");
}

void add_log_selection(Command& command, LogSelectionFlags& flags) {
  command.takes("JOB", flags.names, "names of jobs, or of tasks of an array (arr-3); @ is your newest job",
                0);
  command.options_under("Which jobs and pods");
  command.option("-l,--selector", "LABELS", flags.selector, "jobs with these labels: a=b,c!=d,e in (f,g)")
      .details("Print the logs of jobs that have these labels, such as a=b,c!=d,e in (f,g).");
  command.option("--sweep", "NAME", flags.sweep, "all trials of this sweep")
      .details("Print the logs of all trials of this sweep.");
  command.option("--rank", "N", flags.rank, "only this rank, even if several ranks share a pod")
      .details(
          "Print only the log of this rank. If several ranks share a pod, print the lines that start with "
          "the rank's prefix, [default3]: or [rank3]:.");
  command.flag("--all-ranks", flags.all_ranks, "all ranks (the default)")
      .details("Print the logs of all ranks, which is also the default.");
  command.option("-c,--container", "NAME", flags.container, "only this container; by default, all")
      .details(
          "Print only the log of this container in each pod. By default, kml prints the logs of all "
          "containers.");
  command.option("--attempt", "N", flags.attempt, "only the Nth pod of each rank, counted from 1", 1)
      .details(
          "Print only the log of the Nth pod of each rank, counted from 1. By default, kml prints the logs "
          "of all pods of a rank.");
  command.flag("--previous", flags.previous, "the log from before the container's last restart")
      .details("Print the log from before the container's last restart.");
  command
      .option("--pods", "REGEX", flags.pods,
              "only pods whose names match; without a job, from all pods in the namespace")
      .details(
          "Print only the logs of pods whose names match. Without a job, select from all pods in the "
          "namespace.");
  command
      .option("--pod-selector", "LABELS", flags.pod_selector,
              "pods with these labels, whichever jobs they belong to")
      .details(
          "Print the logs of pods in the namespace that have these labels, whichever jobs they belong to.");
  command.options_under("Which lines");
  command.option("--tail", "N", flags.tail, "only the last N lines of each container")
      .details("Print only the last N lines of each container.");
  command.option("--since", "DURATION", flags.since, "only lines newer than this: 90s, 15m, 2h")
      .details("Print only lines that are newer than this: 90s, 15m, 2h.");
  command.option("--since-time", "TIME", flags.since_time, "only lines after this time: 2026-11-21T14:05:06Z")
      .details("Print only lines after this time: 2026-11-21T14:05:06Z.");
  command
      .option("--until", "TIME", flags.until,
              "only lines before this time: a timestamp, or an age such as 15m")
      .details("Print only lines before this time: a timestamp, or an age such as 15m.");
  command.option("--include", "REGEX", flags.include, "only lines that match (RE2 syntax; (?i) ignores case)")
      .details(
          "Print only lines that match. If the flag is repeated, one match is enough. The syntax is that of "
          "RE2; (?i) ignores case.");
  command.option("--exclude", "REGEX", flags.exclude, "leave out lines that match")
      .details("Leave out lines that match. May be repeated.");
}

/// Sets the members of `options.selection` and `options.rules` that do not depend on the jobs. Throws usage
/// Error if flags contradict each other.
void read_log_selection(Context& context, const LogSelectionFlags& flags, FollowOptions& options) {
  check(flags);
  job::LogSelection& selection = options.selection;
  selection.namespace_name = context.place().namespace_name;
  selection.pod_selector = flags.pod_selector;
  selection.pod_pattern = flags.pods;
  selection.container = flags.container;
  selection.previous = flags.previous;
  if (flags.attempt) selection.attempt = static_cast<int>(*flags.attempt);
  selection.tail = flags.tail;
  selection.since = flags.since;
  selection.since_time = moment(flags.since_time, "--since-time");
  selection.until = moment(flags.until, "--until");
  selection.gone_pods = context.place().is_local;
  options.rules.include = flags.include;
  options.rules.exclude = flags.exclude;
}

/// Throws usage Error if the job has no pod for the rank, because kml would wait forever for that rank's log.
void check_rank(const Json& job, int rank) {
  const int in_pod = job::ranks_per_pod(job);
  const auto numbers = job::task_numbers(api::pod_template_of(job));
  const long long ranks = api::completions_of(job) * in_pod;
  if (!api::is_indexed(job) || (numbers ? numbers->index_of(rank).has_value() : rank < ranks)) return;
  const std::string name = api::name_of(job);
  if (job::has_tasks(job))
    throw usage_error(fmt::format("job {} has no task {}", name, rank), "", "kml status " + name);
  throw usage_error(fmt::format("job {} has no rank {}", name, rank),
                    ranks == 1 ? "its only rank is 0" : fmt::format("its ranks are 0-{}", ranks - 1));
}

/// Completes the selection once the jobs are known, because the job determines which pod a rank runs in.
void select_rank(const LogSelectionFlags& flags, FollowOptions& options) {
  if (!flags.rank) return;
  const int rank = static_cast<int>(*flags.rank);
  const std::vector<Json>& jobs = options.selection.jobs;
  if (jobs.size() == 1) check_rank(jobs[0], rank);
  // An MPIJob's launcher prints the lines of all ranks.
  if (!jobs.empty() && api::kind_name(jobs[0]) == "MPIJob") {
    options.rules.rank = rank;
    options.rank_marks = "mpirun --tag-output";
    return;
  }
  const int in_pod = jobs.empty() ? 1 : job::ranks_per_pod(jobs[0]);
  const bool one_pod = std::none_of(jobs.begin(), jobs.end(), has_several_pods);
  if (in_pod > 1 || (one_pod && rank > 0)) {
    options.rules.rank = rank;
    options.rules.ranks_per_pod = in_pod;
  }
  if (in_pod > 1 || !one_pod) options.selection.rank = rank / in_pod;
}

/// Selects whole jobs, or only some tasks of a job, such as "lr1-8".
void select_jobs(Context& context, const LogSelectionFlags& flags, FollowOptions& options) {
  std::set<std::string> whole;
  for (job::JobOrTask& found : selected_jobs_and_tasks(
           context, {.names = flags.names,
                    .filter = {.selector = job_selector(flags)},
                    .flags = "-l LABELS or --sweep, or pods by --pods or --pod-selector"})) {
    if (found.task && flags.rank)
      throw not_together("--rank", found.name(), "a task of an array job has no ranks", "leave out --rank");
    const std::string name = api::full_name_of(found.job), uid = api::uid_of(found.job);
    if (found.task)
      options.selection.tasks[name].insert(*found.task);
    else
      whole.insert(name);
    std::vector<Json>& jobs = options.selection.jobs;
    if (std::none_of(jobs.begin(), jobs.end(), [&](const Json& job) { return api::uid_of(job) == uid; }))
      jobs.push_back(std::move(found.job));
  }
  for (const std::string& name : whole) options.selection.tasks.erase(name);
}

struct LogsOptions {
  LogSelectionFlags selection;
  std::string save, output;
  std::vector<std::string> highlight;
  bool follow = false, keep = false, timestamps = false, propagate_exit = false, first_error = false,
       metrics = false, raw = false, live = false;
};

ui::LogPrinter::Format format_of(const LogsOptions& options) {
  if (options.raw && options.output == "json") throw not_together("--raw", "-o json");
  if (options.output == "json") return ui::LogPrinter::Format::json;
  return options.raw || options.output == "raw" ? ui::LogPrinter::Format::raw : ui::LogPrinter::Format::text;
}

/// Converts the flags to FollowOptions. Empty if they select no job, or if saved copies of the logs were
/// printed.
std::optional<FollowOptions> follow_options(Context& context, const LogsOptions& options) {
  FollowOptions follow{{}, options.timestamps, options.save, options.propagate_exit};
  if (options.keep) follow.save = job::default_spool();
  follow.first_error = options.first_error;
  follow.metrics = options.metrics;
  follow.attach = options.live;
  if (follow.metrics && follow.save.empty()) follow.selection.cut = kube::LogCut::redraws;
  follow.format = format_of(options);
  follow.highlight = options.highlight;
  read_log_selection(context, options.selection, follow);
  if (selects_pods_only(options.selection)) return follow;
  try {
    select_jobs(context, options.selection, follow);
  } catch (const Error& error) {
    // The job was deleted, but a copy of its log may exist.
    if (error.reason != "NotFound") throw;
    if (print_saved_logs(context, options.selection.names, follow)) return {};
    for (const std::string& name : options.selection.names) refuse_log_of_schedule(context, name);
    throw;
  }
  if (follow.selection.jobs.empty()) {
    context.note("no matching jobs in namespace " + context.place().namespace_name);
    return {};
  }
  select_rank(options.selection, follow);
  return follow;
}

int run_logs(Context& context, const LogsOptions& options) {
  if (options.propagate_exit && !options.follow)
    throw usage_error("--propagate-exit needs -f", "the exit code is known only when the job has finished");
  if (options.live && !options.follow) throw usage_error("--live needs -f");
  if (options.first_error && selects_pods_only(options.selection))
    throw usage_error("--first-error needs a job", "pods of different jobs do not make each other fail");
  if (options.metrics && (options.first_error || options.raw || !options.output.empty()))
    throw not_together("--metrics", "--first-error, --raw and -o", "--metrics prints a table");
  const std::optional<FollowOptions> follow = follow_options(context, options);
  if (!follow) return 0;
  if (options.follow) return follow_jobs(context, *follow);
  print_logs(context, *follow);
  return 0;
}

std::vector<ManualSection> sections_of_logs() {
  return {
      {"Progress bars",
       R"(On a terminal, kml keeps colors and removes all other escape sequences. A progress bar is shown in its last
state. With -f, the bar is redrawn as it changes, below the scrolling lines. In a pipe, kml changes nothing in the text
of a line.

How soon a progress bar appears depends on the node. The embedded server and CRI-O send a line before its newline is
written; containerd waits for the newline or for 16 KiB.)"},
      {"Live lines",
       R"(With -f --live, kml also attaches to the containers, and shows a line while the program is still writing it.
For --live, you need the right to get (since Kubernetes 1.35 also to create) pods/attach. A program that prints a lot
is slowed down while kml does not read, for example after Ctrl-Z or while this machine sleeps.)"},
      {"Jobs in other clusters",
       R"(If Kueue has copied the job to another cluster (MultiKueue), and you name only this job, kml uses your context
of that cluster. kml finds this context by the address of the server that Kueue uses, otherwise by the cluster's name.
`kml hang`, `kml why` and commands that enter a pod, such as `kml exec`, use the same context. With -f, kml first waits
until Kueue has chosen a cluster. Kueue deletes the job's copy, and with it the log, when the job has ended; `--keep`
saves the log on this machine.)"},
      {"Missing lines",
       R"(kml reports a gap if the embedded server removed lines before kml read them, or if a cluster's node no longer
returns the last line that kml read.

Two kinds of gaps leave no trace. A node serves only the newest file of a log (the kubelet's containerLogMaxSize, 10Mi
by default), so lines that were rotated away before kml's first request are missing. Lines that a node could not
write, for example because its disk was full, are missing too.)"}};
}

}  // namespace

Command logs_command() {
  auto options = std::make_shared<LogsOptions>();
  Command command{"logs", "Print or follow the logs of jobs, from all pods and attempts, merged by time"};
  command.description =
      R"(With -f, kml prints new lines until all of the jobs have finished, even across restarts and new attempts. If a job has
not started yet, kml prints why, and prints again whenever the reason changes. The exit code is 3 if a job failed or was
cancelled. If kml notices that lines are missing, it reports the gap; see "Missing lines". Notes go to standard error.)";
  command.manual = sections_of_logs;
  command.examples = R"(# Follow a job from before its start to its end; exit code 3 if it fails
kml logs -f bert
# Which pod died first, and its last lines
kml logs bert --first-error
# The latest loss of each pod
kml logs -f bert --metrics
# Lines of the last hour that match, from all jobs with a label
kml logs -l team=vision --since 1h --include '(?i)error|nan')";
  command.options_under("Output");
  command.flag("-f,--follow", options->follow, "print new lines until the jobs have finished")
      .details(
          "Print new lines until all of the jobs have finished. With -l and --sweep, these are the jobs that "
          "exist when kml starts; `kml sweep logs -f SWEEP` and `kml run logs -f RUN` also follow the jobs "
          "that start later. The exit code is 3 if a job failed or was cancelled.");
  command
      .flag("--live", options->live,
            "with -f on a cluster: attach, and show a line while the program is still writing it")
      .details(
          "With -f on a terminal, for jobs on a cluster, attach to each container, and show a line such as a "
          "progress bar while the program is still writing it. Complete lines still come from the log. The "
          "embedded server shows such lines without this flag. See \"Live lines\".");
  command
      .flag("--first-error", options->first_error,
            "instead of the log, print which pod died first, how, and its last lines")
      .details(
          "Instead of the log, print which pod died first, its exit code or signal, and its last lines. With "
          "-f, first wait until the job has finished.");
  command
      .flag("--metrics", options->metrics,
            "instead of the log, print the latest loss and other numbers of each pod")
      .details(
          "Instead of the log, print the latest metrics of each pod and how they changed. kml recognizes "
          "loss=0.5, acc: 0.9 and JSON lines.");
  add_log_selection(command, options->selection);
  command.options_under("Output");
  command.flag("--timestamps", options->timestamps, "print the time of each line")
      .details("Print the time before each line.");
  command
      .option("--highlight", "REGEX", options->highlight,
              "show the matching text in reverse video, on a terminal")
      .details("On a terminal, show the matching text in reverse video.");
  command
      .choice("-o,--output", {"json", "raw"}, options->output,
              "json: an object for each line; raw: the lines exactly as they were written")
      .details(
          "With json, print an object for each line. With raw, print the lines exactly as they were written, "
          "even on a terminal.");
  command.flag("--raw", options->raw, "the same as -o raw").details("The same as -o raw.");
  command.option("--save", "DIR", options->save, "also keep a complete copy in this folder")
      .details(
          "Also keep a complete copy of the log in this folder. If kml is interrupted, run the command again "
          "to continue the copy.");
  command
      .flag("--keep", options->keep,
            "like --save, but in kml's state folder, where the copy outlives the "
            "job")
      .details(
          "Like --save, but keep the copy in kml's state folder, where `kml logs` finds the logs of deleted "
          "jobs.");
  command
      .flag("--propagate-exit", options->propagate_exit,
            "with -f: exit with the code of the container that died first")
      .details("With -f, exit with the code of the container that died first, instead of 3.");
  command.run = [options](Context& context) { return run_logs(context, *options); };
  return command;
}

}  // namespace kml::cli
