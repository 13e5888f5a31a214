#include <memory>
#include <ostream>

#include "cli/commands.h"
#include "cli/listing.h"
#include "kml/jobs/queue.h"
#include "kml/ui/job_tables.h"
#include "kml/ui/objects.h"

namespace kml::cli {

namespace {

Json to_json(const jobs::QueueEntry& entry) {
  const jobs::JobView& job = entry.job;
  Json json = {{"position", entry.position},          {"kind", job.kind},  {"name", job.name},
               {"namespace", job.namespace_name},     {"user", job.user},  {"priority", entry.priority},
               {"priorityClass", job.priority_class}, {"gpus", job.gpus},  {"created", rfc3339(job.created)},
               {"state", name_of(job.state)},         {"cause", job.cause}};
  return json;
}

void print(Context& context, const ListingOptions& options, const std::vector<jobs::QueueEntry>& entries) {
  Streams& streams = context.streams();
  if (options.output == "name") {
    for (const jobs::QueueEntry& entry : entries) streams.out << entry.job.name << "\n";
  } else if (options.output == "json" || options.output == "yaml") {
    Json items = Json::array();
    for (const jobs::QueueEntry& entry : entries) items.push_back(to_json(entry));
    ui::print_value(streams, items, options.output);
  } else if (entries.empty()) {
    context.note("nothing waits or runs");
  } else {
    ui::TableOptions table{options.all_namespaces, options.output == "wide", !options.no_headers};
    ui::print_queue(streams, entries, table, system_clock().now());
  }
}

int run_queue(Context& context, const ListingOptions& options) {
  jobs::Priorities priorities = jobs::list_priorities(context.client());
  return run_listing(context, options, [&](const std::vector<Json>& jobs, const jobs::PodsByJob& pods) {
    print(context, options, queue_of(jobs, pods, priorities));
  });
}

}  // namespace

Command queue_command() {
  auto options = std::make_shared<ListingOptions>();
  Command command{"queue", "Show what runs, and what waits in the order it will be tried, and why"};
  add_listing_flags(command, *options);
  command.run = [options](Context& context) { return run_queue(context, *options); };
  return command;
}

}  // namespace kml::cli
