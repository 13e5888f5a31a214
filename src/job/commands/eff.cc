#include <algorithm>
#include <memory>

#include "cli/commands.h"
#include "cli/context.h"
#include "cli/output_format.h"
#include "job/capacity/efficiency.h"
#include "job/commands/accounts.h"
#include "job/commands/named_job.h"
#include "job/tables/efficiency_report.h"
#include "kml/job/views/find.h"
#include "kml/job/views/ownership.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "kml/ui/objects.h"

namespace kml::cli {

namespace {

struct EffOptions {
  std::vector<std::string> names;
  std::string output;
};

/// When the pods of the job, or of the task, ran.
job::RunTimes run_times(const job::JobAccount& account, const job::JobOrTask& named) {
  job::RunTimes times{{}, {}, account.suspended, named.task.has_value()};
  for (const job::PodSpan& span : account.spans) {
    if (named.task && span.lane != named.name()) continue;
    times.first_start = std::min(times.first_start.value_or(span.start), span.start);
    times.last_end = std::max(times.last_end.value_or(span.end), span.end);
    if (named.task) times.of_attempts.emplace_back(span.start, span.end);
  }
  return times;
}

int run_eff(Context& context, const EffOptions& options) {
  kube::Client& client = context.client();
  const auto ahead = ask_ahead_about(context, options.names, job::about_attempts);
  const job::JobOrTask named = named_job_or_task(context, options.names[0]);
  const std::string namespace_name = api::namespace_of(named.job);
  const job::PodsByJob pods(job::pods_of(client, named.job));
  const std::vector<const Json*> own = named.own(pods.of(named.job));
  const bool any_runs =
      std::any_of(own.begin(), own.end(), [](const Json* pod) { return api::phase_of(*pod) == "Running"; });
  const auto usage =
      any_runs ? job::read_usage(client, namespace_name) : std::map<std::string, job::PodUsage>();
  job::AccountQuery query = account_query(context, {});
  query.namespace_name = namespace_name;
  std::optional<job::JobAccount> account = job::read_account(client, named.job, query);
  job::Efficiency found =
      job::efficiency_of(named.as_job(own), own, usage, run_times(*account, named), system_clock().now());
  found.job.name = named.name();
  if (named.task || found.gpus_asked == 0) account.reset();
  if (options.output.empty())
    ui::print_efficiency(context.streams(), found, account, named.task ? "Task" : "Job");
  else
    ui::print_value(context.streams(), ui::to_json(found, account), options.output);
  return 0;
}

}  // namespace

Command eff_command() {
  auto options = std::make_shared<EffOptions>();
  Command command{"eff", "Compare the resources that a job asked for with those that it used"};
  command.takes("JOB", options->names, "name of a job; @ is your newest job", 1, 1);
  command.description =
      R"(Most figures are known only while the job's pods exist. CPUs and memory are shown per pod,
as they were requested. The memory peak is the largest resident size of one process. If the pod had a memory limit,
kml also shows the peak of all its processes together, which includes cached files.

GPU hours are the time during which the job's pods held GPUs, split by outcome as in `kml usage`. "Lost" is the
time of steps that were repeated after a preemption or an eviction. The lost time is a range if the program does not
report its steps.

The embedded server keeps the usage of CPUs and memory with each pod. A cluster does not, so kml shows the current
values from the cluster's metrics API, and lists the figures that are missing.)";
  command.examples = R"(kml eff bert
kml eff @ -o json | jq .cpus.mean
# Task 3 of the array job arr
kml eff arr-3)";
  add_output_format(command, {"json", "yaml"}, options->output, "print the figures as an object")
      .details("Print the figures in this format.");
  command.run = [options](Context& context) { return run_eff(context, *options); };
  return command;
}

}  // namespace kml::cli
