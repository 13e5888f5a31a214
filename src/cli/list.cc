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

bool is_table(const ListOptions& options) {
  return options.output.empty() || options.output == "wide";
}

/// A sweep leaves one for each of its trials, among which other jobs would not be found.
bool is_trial_that_ended(const Json& job, const jobs::JobView& view) {
  return has_ended(view.state) && find(job, {"metadata", "labels", api::kTrial});
}

void tell_of_left_out(Context& context, const ListOptions& options, size_t count) {
  if (count == 0 || (options.watch && !context.streams().out_is_terminal)) return;
  context.note(std::to_string(count) + (count == 1 ? " trial" : " trials") +
               " of sweeps that ended not shown: `kml list --all`, or `kml sweep list`");
}

/// A job, and what a person asks about it.
struct Listed {
  const Json* object;
  jobs::JobView view;
};

/// Those that are shown, in order, and how many trials are not.
std::pair<std::vector<Listed>, size_t> chosen(const ListOptions& options, const std::vector<Json>& jobs,
                                              const jobs::PodsByJob& pods) {
  std::vector<Listed> listed;
  listed.reserve(jobs.size());
  for (const Json& job : jobs) listed.push_back({&job, jobs::view_of_job(job, pods.of(job))});
  std::stable_sort(listed.begin(), listed.end(),
                   [](const Listed& a, const Listed& b) { return a.view.created < b.view.created; });
  size_t left_out = 0;
  if (is_table(options) && !options.all && !options.filter.is_set())
    left_out =
        std::erase_if(listed, [](const Listed& job) { return is_trial_that_ended(*job.object, job.view); });
  options.filter.apply(listed, true, system_clock().now(),
                       [](const Listed& job) -> const jobs::JobView& { return job.view; });
  return {std::move(listed), left_out};
}

void print_list(Context& context, const ListOptions& options, const std::vector<Json>& jobs,
                const jobs::PodsByJob& pods) {
  auto [listed, left_out] = chosen(options, jobs, pods);
  if (!is_table(options)) {
    std::vector<Json> objects;
    objects.reserve(listed.size());
    for (const Listed& job : listed) objects.push_back(*job.object);
    ui::print_objects(context.streams(), objects, options.output, true, !options.no_headers);
    return;
  }
  if (listed.empty() && left_out == 0) {
    context.note(std::string(options.filter.is_set() ? "no such jobs" : "no jobs") +
                 (options.all_namespaces ? "" : " in namespace " + context.place().namespace_name));
    return;
  }
  std::vector<jobs::JobView> views;
  views.reserve(listed.size());
  for (Listed& job : listed) views.push_back(std::move(job.view));
  ui::TableOptions table{options.all_namespaces, options.output == "wide", !options.no_headers};
  if (!views.empty()) ui::print_jobs(context.streams(), views, table, system_clock().now());
  tell_of_left_out(context, options, left_out);
}

}  // namespace

Command list_command() {
  auto options = std::make_shared<ListOptions>();
  Command command{"list", "List jobs, oldest first, also those that have ended"};
  command.description =
      "Trials of sweeps that have ended are left out of the table, unless --all is given or jobs are "
      "selected;\n"
      "`kml sweep list` and `kml sweep status NAME` show them. -o json, yaml and name list all.\n"
      "Flags that select are combined: a job is shown where it meets each of them. --limit keeps the newest\n"
      "N jobs; with --sort the first N of that order.\n"
      "-o jsonpath=TEMPLATE and -o custom-columns=HEADER:PATH,… take what kubectl takes, and find what it "
      "finds:\n"
      "all jobs are one List with `items`. Every command that has -o json has them.";
  command.examples =
      "  kml list --mine --state running,waiting\n"
      "  kml list --state failed --since 1d\n"
      "  kml list -A --sort gpus --limit 10            who asks for most GPUs\n"
      "  kml list -o custom-columns=NAME:.metadata.name,IMAGE:.spec.template.spec.containers[*].image\n"
      "  kml list -o jsonpath='{range .items[*]}{.metadata.name}{\"\\n\"}{end}'";
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
