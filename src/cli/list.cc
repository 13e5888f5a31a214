#include <algorithm>
#include <memory>
#include <ostream>

#include "cli/commands.h"
#include "cli/listing.h"
#include "kml/ui/job_tables.h"
#include "kml/ui/objects.h"

namespace kml::cli {

namespace {

void print_list(Context& context, const ListingOptions& options, const std::vector<Json>& jobs,
                const jobs::PodsByJob& pods) {
  if (!options.output.empty() && options.output != "wide") {
    std::vector<Json> sorted = jobs;
    std::stable_sort(sorted.begin(), sorted.end(), [](const Json& a, const Json& b) {
      return string_at(a, {"metadata", "creationTimestamp"}) <
             string_at(b, {"metadata", "creationTimestamp"});
    });
    ui::print_objects(context.streams(), sorted, options.output, true);
    return;
  }
  if (jobs.empty()) {
    context.note(options.all_namespaces ? "no jobs"
                                        : "no jobs in namespace " + context.place().namespace_name);
    return;
  }
  std::vector<jobs::JobView> views;
  views.reserve(jobs.size());
  for (const Json& job : jobs) views.push_back(jobs::view_of_job(job, pods.of(job)));
  std::stable_sort(views.begin(), views.end(),
                   [](const jobs::JobView& a, const jobs::JobView& b) { return a.created < b.created; });
  ui::TableOptions table{options.all_namespaces, options.output == "wide", !options.no_headers};
  ui::print_jobs(context.streams(), views, table, system_clock().now());
}

}  // namespace

Command list_command() {
  auto options = std::make_shared<ListingOptions>();
  Command command{"list", "List jobs, oldest first, also those that have ended"};
  add_listing_flags(command, *options);
  command.run = [options](Context& context) {
    return run_listing(context, *options, [&](const std::vector<Json>& jobs, const jobs::PodsByJob& pods) {
      print_list(context, *options, jobs, pods);
    });
  };
  return command;
}

}  // namespace kml::cli
