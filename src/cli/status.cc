#include <memory>
#include <ostream>

#include "cli/commands.h"
#include "cli/context.h"
#include "cli/named_job.h"
#include "kml/api/object.h"
#include "kml/jobs/attempts/attempts.h"
#include "kml/jobs/views/find.h"
#include "kml/jobs/views/kinds.h"
#include "kml/jobs/views/pod_view.h"
#include "kml/ui/job_tables.h"
#include "kml/ui/objects.h"
#include "kml/ui/reports.h"

namespace kml::cli {

namespace {

struct StatusOptions {
  std::vector<std::string> names;
  std::string output;
};

std::vector<Json> events_about(Context& context, const std::string& object) {
  return context.client()
      .list(*api::find_kind("v1", "Event"), context.place().namespace_name,
            {"", "involvedObject.name=" + object})
      .items;
}

void print_one(Context& context, const jobs::JobOrTask& named) {
  const jobs::PodsByJob pods =
      jobs::list_pods(context.client(), context.place().namespace_name, jobs::pod_selector(named.job));
  const std::vector<const Json*> own = named.own(pods.of(named.job));
  // What is told of a task is about its last pod.
  const std::string about = named.task && !own.empty() ? api::name_of(*own.back()) : api::name_of(named.job);
  ui::print_status(context.streams(), named, own, events_about(context, about), system_clock().now());
}

/// The objects: of a task, its pods.
std::vector<Json> objects_of(Context& context, const std::vector<jobs::JobOrTask>& named) {
  std::vector<Json> objects;
  for (const jobs::JobOrTask& each : named) {
    if (!each.task) {
      objects.push_back(each.job);
      continue;
    }
    const jobs::PodsByJob pods =
        jobs::list_pods(context.client(), context.place().namespace_name, jobs::pod_selector(each.job));
    for (const Json* pod : each.own(pods.of(each.job))) objects.push_back(*pod);
  }
  return objects;
}

int run_status(Context& context, const StatusOptions& options) {
  std::vector<jobs::JobOrTask> named;
  for (const std::string& name : options.names) named.push_back(named_job_or_task(context, name));
  Streams& streams = context.streams();
  if (!options.output.empty() && options.output != "wide") {
    const std::vector<Json> objects = objects_of(context, named);
    ui::print_objects(streams, objects, options.output, objects.size() != 1);
    return 0;
  }
  for (const jobs::JobOrTask& each : named) {
    if (&each != named.data()) streams.out << "\n";
    print_one(context, each);
  }
  return 0;
}

}  // namespace

Command status_command() {
  auto options = std::make_shared<StatusOptions>();
  Command command{"status",
                  "Show one job in detail: state and cause, pods with exit codes, conditions, events"};
  command.takes("JOB", options->names, "names of jobs; @ is the newest that you submitted", 1);
  command.choice("-o,--output", ui::kFormats, options->output, "print the object, or its name");
  command.run = [options](Context& context) { return run_status(context, *options); };
  return command;
}

}  // namespace kml::cli
