#include <algorithm>
#include <memory>
#include <ostream>

#include "cli/commands.h"
#include "cli/context.h"
#include "cli/output_format.h"
#include "cli/retry_notes.h"
#include "job/commands/named_job.h"
#include "job/tables/reports.h"
#include "kml/job/attempts/attempts.h"
#include "kml/job/capacity/capacity.h"
#include "kml/job/capacity/workloads.h"
#include "kml/job/tables/job_tables.h"
#include "kml/job/views/find.h"
#include "kml/job/views/interrupt.h"
#include "kml/job/views/ownership.h"
#include "kml/job/views/task.h"
#include "kml/kube/client/watch.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "kml/ui/objects.h"

namespace kml::cli {

namespace {

struct StatusOptions {
  std::vector<std::string> names;
  std::string output;
  bool watch = false;
  bool all_events = false;
};

/// Keeps only the parts of an event that print_status() reads. An array may have 100,000 tasks, each with an
/// event.
void shorten_event(Json& event) {
  const Json& metadata = api::metadata_of(event);
  event["metadata"] = {{"creationTimestamp", string_at(metadata, {"creationTimestamp"})},
                       {"resourceVersion", string_at(metadata, {"resourceVersion"})}};
  event["involvedObject"] = {{"uid", api::involved_uid(event)}};
  for (const char* unread : {"source", "reportingComponent", "reportingInstance", "type", "count", "action"})
    event.erase(unread);
}

kube::ListOptions about(const std::string& object) {
  return {.field_selector = "involvedObject.name=" + object, .shorten = shorten_event};
}

std::vector<Json> events_about(Context& context, const std::string& object) {
  return context.client()
      .list(*api::find_kind("v1", "Event"), context.place().namespace_name, about(object))
      .items;
}

void print_one(Context& context, const StatusOptions& options, const job::JobOrTask& named) {
  const kube::ListOptions which = job::telling_pods(named);
  const job::PodsByJob pods(job::pods_of(context.client(), named.job, which));
  const std::vector<const Json*> own = named.own(pods.of(named.job));
  // A task's last pod stands for the task.
  const std::string shown = named.task && !own.empty() ? api::name_of(*own.back()) : api::name_of(named.job);
  // The usage takes one or two requests, and is only needed if a pod is running.
  const bool any_runs =
      std::any_of(own.begin(), own.end(), [](const Json* pod) { return api::phase_of(*pod) == "Running"; });
  const job::PodUsage usage =
      any_runs ? job::sum_of(job::read_usage(context.client(), api::namespace_of(named.job)), own)
               : job::PodUsage();
  const job::Workloads workloads =
      job::read_workloads(context.client(), api::namespace_of(named.job), {&named.job, 1});
  ui::print_status(context.streams(), named, own, events_about(context, shown), system_clock().now(),
                   {options.all_events, usage, workloads.of(named.job), workloads.lacks_kueue(),
                    [&](const Json& job, auto& view) { job::add_earlier_run(context.client(), job, view); },
                    words_of_target(context.options())});
  if (!which.field_selector.empty())
    context.streams().out << for_same_target(
        context.options(),
        "\nTasks that have succeeded are not shown: `kml status " + named.name() + "-N` shows task N.\n");
}

/// The objects to print: the jobs or, for a task, its pods.
std::vector<Json> objects_of(Context& context, const std::vector<job::JobOrTask>& named) {
  std::vector<Json> objects;
  for (const job::JobOrTask& each : named) {
    if (!each.task) {
      objects.push_back(each.job);
      continue;
    }
    const job::PodsByJob pods(job::pods_of(context.client(), each.job, job::telling_pods(each)));
    for (const Json* pod : each.own(pods.of(each.job))) objects.push_back(*pod);
  }
  return objects;
}

void print_all(Context& context, const StatusOptions& options, const std::vector<job::JobOrTask>& named) {
  Streams& streams = context.streams();
  if (!options.output.empty() && options.output != "wide") {
    const std::vector<Json> objects = objects_of(context, named);
    ui::print_objects(streams, objects, options.output, objects.size() != 1);
    return;
  }
  for (const job::JobOrTask& each : named) {
    if (&each != named.data()) streams.out << "\n";
    print_one(context, options, each);
  }
}

/// Waits for changes to jobs and their pods.
class Changes {
 public:
  Changes(Context& context, const std::vector<job::JobOrTask>& named)
      : client_(context.client()), note_end_of_server_(notes_on_ended_server(context)) {
    const std::string& namespace_name = context.place().namespace_name;
    for (const job::JobOrTask& each : named) {
      add(client_.kind_of(each.job), namespace_name,
          {.field_selector = "metadata.name=" + api::name_of(each.job)});
      add(*api::find_kind("v1", "Pod"), namespace_name, {.label_selector = job::pod_selector(each.job)});
    }
  }

  /// Changes that arrive together are handled as one.
  void wait_for_next(const job::Interrupt& interrupt) {
    const int wake[] = {interrupt.fd()};
    while (!changed_ || to_sync_ > 0) {
      client_.transport().wait(std::chrono::seconds(10), wake);
      interrupt.check();
      if (failure_) throw *failure_;
    }
    changed_ = false;
  }

 private:
  void add(const api::ResourceKind& kind, const std::string& namespace_name, kube::WatchOptions which) {
    kube::WatchHandler handler;
    handler.on_change = [this](kube::Change, const Json&) { changed_ = true; };
    handler.on_synced = [this] {
      changed_ = true;
      --to_sync_;
    };
    handler.on_failure = [this](const Error& error) { failure_ = error; };
    handler.on_retry = note_end_of_server_;
    ++to_sync_;
    watches_.push_back(kube::watch(client_, kind, namespace_name, std::move(which), handler));
  }

  kube::Client& client_;
  const kube::OnRetry note_end_of_server_;
  int to_sync_ = 0;
  bool changed_ = false;
  std::optional<Error> failure_;
  std::vector<std::unique_ptr<kube::Watch>> watches_;
};

std::vector<job::JobOrTask> find_all(Context& context, const std::vector<std::string>& names) {
  std::vector<job::JobOrTask> named;
  for (const std::string& name : names) named.push_back(named_job_or_task(context, name));
  return named;
}

bool has_ended(Context& context, const job::JobOrTask& named) {
  if (!named.task) return job::has_ended(job::state_of(named.job, false));
  const job::PodsByJob pods(job::pods_of(context.client(), named.job, job::telling_pods(named)));
  return job::has_ended(job::state_of(named.as_job(named.own(pods.of(named.job))), false));
}

/// Runs until all jobs have ended or one is deleted.
int watch_status(Context& context, StatusOptions options) {
  for (std::string& name : options.names) name = resolved_name(context, name);
  std::vector<job::JobOrTask> named = find_all(context, options.names);
  const job::Interrupt interrupt;
  Changes changes(context, named);
  context.keep_server_down();
  Streams& streams = context.streams();
  try {
    for (bool is_first = true;; is_first = false) {
      changes.wait_for_next(interrupt);
      named = find_all(context, options.names);
      // On a terminal, the new status replaces the old one.
      if (streams.out_is_terminal)
        streams.out << AsItIs{"\x1B[H\x1B[2J"};
      else if (!is_first && options.output.empty())
        streams.out << "\n";
      print_all(context, options, named);
      streams.out << std::flush;
      if (std::all_of(named.begin(), named.end(),
                      [&](const job::JobOrTask& each) { return has_ended(context, each); }))
        return 0;
    }
  } catch (const Error& error) {
    // the user interrupted kml, so no message is needed
    if (error.code == ErrorCode::interrupted) return static_cast<int>(error.code);
    if (error.reason != "NotFound") throw;
    context.note("the job was deleted");
    return 0;
  }
}

int run_status(Context& context, const StatusOptions& options) {
  if (options.watch) return watch_status(context, options);
  const auto ahead = ask_ahead_about(context, options.names, about);
  print_all(context, options, find_all(context, options.names));
  return 0;
}

}  // namespace

Command status_command() {
  auto options = std::make_shared<StatusOptions>();
  Command command{"status",
                  "Show a job's state and the reason for it, its pods, exit codes, conditions and events"};
  command.takes("JOB", options->names, "names of jobs; @ is your newest job", 1);
  command.description =
      R"(With -w, kml shows the job again after each change to it or its pods, until it has finished or is deleted. On a
terminal, each view replaces the last one. For a task ("arr-3"), -o json prints its pods, because a task is not an
object in Kubernetes.)";
  command.examples = R"(kml status bert
# Your newest job, until it finishes
kml status -w @
# Task 3 of the array job arr
kml status arr-3)";
  command.flag("-w,--watch", options->watch, "show the job again after each change, until it has finished")
      .details("Show the job again after each change, until it has finished.");
  command.flag("--events", options->all_events, "show all events, not only the newest 10")
      .details("Show all events about the job or, for a task, about its newest pod, not only the newest 10.");
  add_output_format(command, ui::kFormats, options->output, "print the object or its name")
      .details("Print the object or its name.");
  command.run = [options](Context& context) { return run_status(context, *options); };
  return command;
}

}  // namespace kml::cli
