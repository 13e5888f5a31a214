#include <memory>
#include <ostream>

#include "cli/commands.h"
#include "cli/context.h"
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

int run_status(Context& context, const StatusOptions& options) {
  kube::Client& client = context.client();
  const std::string& namespace_name = context.place().namespace_name;
  std::vector<Json> jobs;
  for (const std::string& name : options.names) jobs.push_back(jobs::find_job(client, namespace_name, name));
  Streams& streams = context.streams();
  if (ui::print_objects(streams, jobs, options.output, jobs.size() > 1)) return 0;
  for (const Json& job : jobs) {
    if (&job != jobs.data()) streams.out << "\n";
    jobs::PodsByJob pods = jobs::list_pods(client, namespace_name, jobs::pod_selector(job));
    kube::ListOptions about{"", "involvedObject.name=" + api::name_of(job)};
    std::vector<Json> events = client.list(*api::find_kind("v1", "Event"), namespace_name, about).items;
    ui::print_status(streams, job, pods.of(job), events, system_clock().now());
  }
  return 0;
}

}  // namespace

Command status_command() {
  auto options = std::make_shared<StatusOptions>();
  Command command{"status",
                  "Show one job in detail: state and cause, pods with exit codes, conditions, events"};
  command.takes("JOB", options->names, "names of jobs", 1);
  command.choice("-o,--output", ui::kFormats, options->output, "print the object, or its name");
  command.run = [options](Context& context) { return run_status(context, *options); };
  return command;
}

}  // namespace kml::cli
