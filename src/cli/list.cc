#include <algorithm>
#include <memory>
#include <ostream>

#include "cli/commands.h"
#include "cli/listing.h"
#include "kml/api/labels.h"
#include "kml/api/object.h"
#include "kml/jobs/why/why.h"
#include "kml/ui/job_tables.h"
#include "kml/ui/objects.h"

namespace kml::cli {

namespace {

struct ListOptions : ListingOptions {
  bool all = false;
};

/// A sweep leaves one for each of its trials, among which other jobs would not be found.
bool is_trial_that_ended(const Json& job, const jobs::JobView& view) {
  return has_ended(view.state) && find(job, {"metadata", "labels", api::kTrial});
}

void tell_of_left_out(Context& context, const ListOptions& options, size_t count) {
  if (count == 0 || (options.watch && !context.streams().out_is_terminal)) return;
  context.note(std::to_string(count) + (count == 1 ? " trial" : " trials") +
               " of sweeps that ended not shown: `kml list --all`, or `kml sweep list`");
}

void print_list(Context& context, const ListOptions& options, const std::vector<Json>& jobs,
                const jobs::PodsByJob& pods) {
  if (!options.output.empty() && options.output != "wide") {
    std::vector<Json> sorted = jobs;
    std::stable_sort(sorted.begin(), sorted.end(), [](const Json& a, const Json& b) {
      return api::creation_text(a) < api::creation_text(b);
    });
    ui::print_objects(context.streams(), sorted, options.output, true);
    return;
  }
  if (jobs.empty()) {
    context.note(options.all_namespaces ? "no jobs"
                                        : "no jobs in namespace " + context.place().namespace_name);
    return;
  }
  const bool are_chosen = options.all || !options.selector.empty();
  std::vector<jobs::JobView> views;
  views.reserve(jobs.size());
  for (const Json& job : jobs) {
    views.push_back(jobs::view_of_job(job, pods.of(job)));
    if (!are_chosen && is_trial_that_ended(job, views.back())) views.pop_back();
  }
  std::stable_sort(views.begin(), views.end(),
                   [](const jobs::JobView& a, const jobs::JobView& b) { return a.created < b.created; });
  ui::TableOptions table{options.all_namespaces, options.output == "wide", !options.no_headers};
  if (!views.empty()) ui::print_jobs(context.streams(), views, table, system_clock().now());
  tell_of_left_out(context, options, jobs.size() - views.size());
}

}  // namespace

Command list_command() {
  auto options = std::make_shared<ListOptions>();
  Command command{"list", "List jobs, oldest first, also those that have ended"};
  command.description =
      "Trials of sweeps that have ended are left out of the table, unless --all or a selector is given;\n"
      "`kml sweep list` and `kml sweep status NAME` show them. -o json, yaml and name list all.";
  command.flag("-a,--all", options->all, "trials of sweeps that have ended too");
  add_listing_flags(command, *options);
  command.run = [options](Context& context) {
    return run_listing(context, *options, [&](const std::vector<Json>& jobs, const jobs::PodsByJob& pods) {
      print_list(context, *options, jobs, pods);
    });
  };
  return command;
}

}  // namespace kml::cli
