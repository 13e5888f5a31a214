#include <algorithm>
#include <memory>
#include <ostream>
#include <utility>

#include "cli/commands.h"
#include "cli/context.h"
#include "cli/output_format.h"
#include "job/commands/job_filter.h"
#include "job/commands/printed_entries.h"
#include "job/queue/preempted_jobs.h"
#include "job/queue/progress.h"
#include "job/queue/queue.h"
#include "job/queue/queue_watch.h"
#include "job/tables/queue_table.h"
#include "kml/base/flag_errors.h"
#include "kml/base/kept.h"
#include "kml/base/text.h"
#include "kml/job/tables/job_tables.h"
#include "kml/kube/objects/names.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/selector.h"
#include "kml/ui/objects.h"
#include "kml/ui/screen.h"

namespace kml::cli {

namespace {

struct QueueOptions {
  bool all_namespaces = false, starts = false, progress = false, watch = false, no_headers = false;
  std::string queue, output;
  JobFilter filter;
};

/// Whether a word for --state is a state of jobs that have left the queue.
bool is_end(const std::string& word) {
  for (const job::State state : job::all_states())
    if (job::in_words(state) == word) return job::has_ended(state);
  return false;
}

/// Decides which jobs are shown. Positions in the queue still count all jobs.
class Filter {
 public:
  Filter(Context& context, const QueueOptions& options)
      : namespace_(context.list_namespace(options.all_namespaces)),
        queue_(options.queue),
        jobs_(options.filter) {
    for (const job::State state : jobs_.states)
      if (job::has_ended(state))
        throw usage_error("a job in state " + job::in_words(state) + " is not in the queue",
                          "the queue has only jobs that have not ended",
                          "kml list --state " + job::in_words(state));
    if (options.starts) jobs_.states = {job::State::waiting};
    if (!jobs_.selector.empty()) selector_ = api::LabelSelector::parse(jobs_.selector);
  }

  std::vector<const job::QueueEntry*> of(const std::vector<const job::QueueEntry*>& entries) const {
    std::vector<const job::QueueEntry*> kept;
    std::copy_if(entries.begin(), entries.end(), std::back_inserter(kept),
                 [&](const auto* entry) { return keeps(*entry); });
    jobs_.apply(kept, false, system_clock().now(),
                [](const job::QueueEntry* entry) -> const job::JobView& { return entry->job; });
    return kept;
  }

 private:
  bool keeps(const job::QueueEntry& entry) const {
    return (namespace_.empty() || entry.job.namespace_name == namespace_) &&
           (queue_.empty() || entry.queue == queue_ || entry.cluster_queue == queue_) &&
           (!selector_ || (entry.object && selector_->matches(api::labels_of(*entry.object))));
  }

  std::string namespace_, queue_;
  JobFilter jobs_;
  std::optional<api::LabelSelector> selector_;
};

ui::TableOptions table_options(Context& context, const QueueOptions& options) {
  return {options.all_namespaces, options.output == "wide", !options.no_headers,
          words_of_target(context.options(), options.all_namespaces)};
}

void print(Context& context, const QueueOptions& options, const std::vector<const job::QueueEntry*>& entries,
           const job::StartEstimates& starts) {
  Streams& streams = context.streams();
  const Time now = system_clock().now();
  const ui::TableOptions table = table_options(context, options);
  if (options.output == "name") {
    for (const job::QueueEntry* entry : entries) streams.out << entry->job.name << "\n";
  } else if (ui::is_data(options.output)) {
    Json items = Json::array();
    for (const job::QueueEntry* entry : entries) items.push_back(ui::to_json(*entry, starts));
    ui::print_value(streams, items, options.output, !options.no_headers);
  } else if (entries.empty()) {
    context.note(options.all_namespaces
                     ? "no jobs are waiting or running"
                     : "no jobs are waiting or running in namespace " + context.place().namespace_name);
  } else if (options.starts) {
    ui::print_starts(streams, entries, starts, table, now);
  } else {
    ui::print_queue(streams, entries, starts, table, now);
  }
}

std::string unseen(const job::QueueState& state) {
  std::string text;
  if (!state.only_namespace.empty())
    text =
        "you may not list pods in all namespaces: positions consider only namespace " + state.only_namespace;
  if (!state.unseen.empty())
    text += (text.empty() ? "" : "; ") + std::string("you may not list ") + join(state.unseen, ", ") +
            ": information from them is missing";
  return text;
}

/// Redraws the terminal's screen.
void draw(Context& context, const QueueOptions& options, const Filter& filter, job::QueueWatch& watch,
          const job::StartEstimates& starts, ui::Screen& screen) {
  std::vector<const job::QueueEntry*> entries = filter.of(watch.state().queue.entries());
  const std::string trouble =
      watch.trouble().empty() ? unseen(watch.state()) : watch.trouble() + "; trying again";
  const size_t room =
      // the header, the line that counts the hidden jobs, and the last row
      std::max<size_t>(screen.rows(), 6) - (trouble.empty() ? 3 : 4);
  const size_t rest = entries.size() > room ? entries.size() - room : 0;
  entries.resize(entries.size() - rest);
  std::vector<std::string> lines = ui::lines_of(context.streams(), [&](const Streams& streams) {
    ui::print_queue(streams, entries, starts, table_options(context, options), system_clock().now());
  });
  if (rest > 0) lines.push_back("and " + std::to_string(rest) + " more");
  if (!trouble.empty())
    lines.push_back(ui::cut_to("kml: " + trouble, static_cast<size_t>(context.streams().width)));
  screen.draw(std::move(lines));
}

/// Without a screen (in a pipe, or with -o), prints each change on a separate line, and the end of each
/// printed job.
void print_changes(Context& context, const QueueOptions& options, const Filter& filter,
                   job::QueueWatch& watch, bool is_first, PrintedEntries& printed) {
  job::JobQueue& queue = watch.state().queue;
  const auto& entries = queue.entries();
  const auto& changed = is_first ? entries : queue.fresh();
  std::vector<const job::QueueEntry*> fresh = filter.of(changed);
  printed.note(changed, fresh);
  const std::vector<job::QueueEntry> left = printed.take_left(queue, entries);
  for (const job::QueueEntry& entry : left) fresh.push_back(&entry);
  if (options.output == "json") {
    for (const job::QueueEntry* entry : fresh)
      context.streams().out << json_text(ui::to_json(*entry, {})) << "\n";
  } else if (!fresh.empty()) {
    QueueOptions as_lines = options;
    as_lines.no_headers = options.no_headers || !is_first;
    print(context, as_lines, fresh, {});
  }
  context.streams().out << std::flush;
}

/// Without a screen, prints a note about each new problem that keeps changes from arriving.
void note_trouble(Context& context, const job::QueueWatch& watch, std::string& noted) {
  const std::string trouble = watch.trouble();
  if (std::exchange(noted, trouble) != trouble && !trouble.empty()) context.note(trouble + "; trying again");
}

int watch_queue(Context& context, const QueueOptions& options, const Filter& filter) {
  constexpr std::chrono::seconds kTick{1};       // how often ages are updated
  constexpr std::chrono::seconds kEstimate{10};  // less often than ages, because an estimate costs more
  const job::Interrupt interrupt;
  job::QueueWatch watch(context.client(), context.place().namespace_name);
  context.keep_server_down();
  ui::Screen screen(context.streams());
  job::StartEstimates starts;
  Time estimated = {};
  std::string trouble;
  PrintedEntries printed;
  const bool on_screen =
      context.streams().out_is_terminal && (options.output.empty() || options.output == "wide");
  if (!on_screen && options.filter.limit)
    throw not_together("--limit", "--watch when changes are printed one by one",
                       "--limit selects the first lines of a table, but a change is printed as one line",
                       "leave out --limit, or watch on a terminal without -o");
  try {
    for (bool is_first = true;; is_first = false) {
      const bool changed = watch.wait(interrupt, kTick);
      if (is_first && !on_screen)
        if (const std::string text = unseen(watch.state()); !text.empty()) context.note(text);
      if (const Time now = system_clock().now(); on_screen && options.starts && now - estimated > kEstimate) {
        starts = job::estimate_starts(watch.state().queue, watch.state().nodes, now);
        estimated = now;
      }
      if (!on_screen) note_trouble(context, watch, trouble);
      if (on_screen)
        draw(context, options, filter, watch, starts, screen);
      else if (changed)
        print_changes(context, options, filter, watch, is_first, printed);
    }
  } catch (const Error& error) {
    if (on_screen) screen.end();
    if (error.code != ErrorCode::interrupted) throw;
    return static_cast<int>(error.code);  // the user interrupted kml, so no message is needed
  }
}

/// Prints which jobs wait again after a preemption, and which jobs preempted them.
void tell_preemptions(Context& context, const job::JobQueue& queue) {
  const auto preempted = job::preempted_jobs(context.client(), context.place().namespace_name, queue,
                                             job::Submissions::of_user());
  for (const auto& [job, disruption] : preempted)
    context.note("job " + job + " was " + job::in_words(disruption) + ", " +
                 ui::age(disruption.time, system_clock().now()) + " ago");
}

/// Adds the progress that running jobs report in their logs.
void add_progress(Context& context, job::JobQueue& queue) {
  const std::vector<const job::QueueEntry*> entries = queue.entries();
  const std::vector<job::Progress> progress = job::read_progress(context.client(), entries);
  for (size_t i = 0; i < entries.size(); ++i)
    if (progress[i].ends_at || progress[i].saved_at)
      queue.set_progress(job::id_of(*entries[i]), progress[i].ends_at, progress[i].saved_at);
}

int run_queue(Context& context, const QueueOptions& options) {
  const Filter filter(context, options);
  if (options.watch) return watch_queue(context, options, filter);
  job::QueueState& state = *kept_to_the_end(
      std::make_unique<job::QueueState>(job::read_queue(context.client(), context.place().namespace_name)));
  if (const std::string text = unseen(state); !text.empty()) context.note(text);
  if (options.progress) add_progress(context, state.queue);
  const job::StartEstimates starts =
      options.starts ? job::estimate_starts(state.queue, state.nodes, system_clock().now())
                     : job::StartEstimates();
  print(context, options, filter.of(state.queue.entries()), starts);
  if (options.output.empty() || options.output == "wide") tell_preemptions(context, state.queue);
  return 0;
}

}  // namespace

Command queue_command() {
  auto options = std::make_shared<QueueOptions>();
  Command command{"queue", "Show running and waiting jobs, in queue order, and why each one waits"};
  add_job_filter(command, options->filter);
  std::erase_if(command.find("--state")->choices, is_end);
  Option& limit = *command.find("--limit");
  limit.help = "at most N jobs: the first in the queue or, with --sort, in that order";
  limit.details("Show only the first N jobs in the queue or, with --sort, the first N jobs in that order.");
  command.flag("-A,--all-namespaces", options->all_namespaces, "show the jobs in all namespaces")
      .after("--since")
      .details("Show the jobs in all namespaces.");
  command.option("--queue", "NAME", options->queue, "only jobs in this Kueue LocalQueue or ClusterQueue")
      .after("--since")
      .details("Show only jobs in this Kueue LocalQueue or ClusterQueue.");
  command.options_under("Output");
  command.flag("-w,--watch", options->watch, "show each change, until interrupted")
      .details(
          "On a terminal, update the table after each change, until interrupted; otherwise, print each "
          "change, and how each printed job ended.");
  command.flag("--start", options->starts, "only waiting jobs, with a rough estimate of when they start")
      .details("Show only waiting jobs, with a rough estimate of when each will start.");
  command
      .flag("--progress", options->progress,
            "read the logs of up to 50 jobs: when they will finish, and their last checkpoint")
      .details(
          "Read the logs of up to 50 jobs, and show when they will finish and when they saved their last "
          "checkpoint.");
  add_output_format(command, ui::kFormats, options->output, "print objects, names, or more columns")
      .details("Print the objects, their names, or (wide) a table with more columns.");
  command.flag("--no-headers", options->no_headers, "leave out the header line")
      .details("Leave out the header line.");
  command.description =
      R"(For a job's position, kml counts all jobs that the scheduler will try earlier, in all namespaces that you may read,
because all jobs wait for the same nodes. For a job in a Kueue queue, kml counts only the jobs of its cluster queue.
Jobs that are not shown count, too. A job has a position only while one of its pods waits for a node, or while Kueue
holds the job. A job that waits for something else has no position: for example, a quota rejects its pods, or it waits
for another job or for its next attempt.

- WHEN is the time that a running job has left. "<2h" comes from the job's time limit, and "~2h" is an estimate, from
  the steps in the log (only with --progress) or from the status of a TrainJob.
- REASON shows where a job runs, or why it waits.

With --start, kml simulates the scheduler many times, with new jobs arriving as often as they did recently. kml
estimates a job's run time from similar finished jobs. If enough finished jobs have the same name as the job, about 80
% of jobs start within the printed range. kml prints no estimate while a waiting job may preempt running ones, because
the preempted jobs would then wait again.)";
  command.examples = R"(# Your jobs
kml queue --mine
# The jobs that start next
kml queue --state waiting --limit 10
# Roughly when waiting jobs will start, in all namespaces
kml queue -A --start
kml queue -o custom-columns=JOB:.name,STATE:.state)";
  command.run = [options](Context& context) { return run_queue(context, *options); };
  return command;
}

}  // namespace kml::cli
