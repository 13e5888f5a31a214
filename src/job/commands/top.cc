#include <map>
#include <memory>
#include <optional>
#include <ostream>

#include "cli/commands.h"
#include "cli/context.h"
#include "cli/output_format.h"
#include "job/capacity/devices.h"
#include "job/commands/list_kind.h"
#include "job/queue/progress.h"
#include "job/queue/queue.h"
#include "job/tables/capacity_tables.h"
#include "kml/job/capacity/capacity.h"
#include "kml/job/capacity/gpu_quota.h"
#include "kml/job/views/ownership.h"
#include "kml/kube/objects/object.h"
#include "kml/ui/objects.h"

namespace kml::cli {

namespace {

struct TopOptions {
  bool all_namespaces = false, no_headers = false;
  std::string type, output;

  ui::TableOptions table() const { return {all_namespaces, output == "wide", !no_headers}; }
  bool wants_data() const { return ui::is_data(output); }
};

void add_output(Command& command, TopOptions& options) {
  command.flag("--no-headers", options.no_headers, "leave out the header line")
      .details("Leave out the header line.");
  add_output_format(command, {"wide", "json", "yaml"}, options.output,
                    "print objects, or a table that is not cut")
      .details("Print the objects, or (wide) a table that is not cut to the terminal's width.");
}

/// "bert (ana)"
std::string holder_of(const Json& pod, const job::JobView& job) {
  const std::string program = job::served_program_of(pod);
  return (program.empty() ? job.name : program) + (job.user.empty() ? "" : " (" + job.user + ")");
}

void print_quotas_instead(Context& context, const TopOptions& options) {
  context.note("you may not list nodes: the table shows the GPUs that quotas grant, not those of the nodes");
  const std::string namespace_name = context.place().namespace_name;
  const std::vector<job::GpuQuota> quotas = job::read_gpu_quotas(context.client(), namespace_name);
  if (options.wants_data())
    return ui::print_value(context.streams(), {{"quotas", ui::to_json(std::span(quotas))}}, options.output,
                           !options.no_headers);
  if (quotas.empty())
    throw Error(
        ErrorCode::auth, "cannot determine the GPUs of the cluster",
        "you may not list nodes, and namespace " + namespace_name + " has no quota and no queues for GPUs",
        "ask your administrator for a role that may list nodes");
  ui::print_quotas(context.streams(), quotas, options.table());
}

int list_nodes_instead(Context& context, const TopOptions& options) {
  context.note("no node has GPUs: the table shows CPUs and memory");
  ListingOptions listing;
  listing.no_headers = options.no_headers;
  listing.output = options.output;
  return run_list_kind(context, *job::find_listed_kind("nodes"), listing);
}

/// The cluster's ResourceSlices or ResourceClaims. Empty if it has none, or if the user may not read them.
std::optional<std::vector<Json>> list_if_allowed(Context& context, const api::ResourceKind& kind) {
  kube::AbsentKinds& absent = context.client().absent_kinds();
  if (absent.has(kind, "")) return {};
  try {
    return context.client().list(kind, "").items;
  } catch (const Error& error) {
    if (error.http_status != 403 && error.http_status != 404) throw;
    absent.add(kind, "", error.http_status);
    return {};
  }
}

/// Adds the GPUs that drivers publish in ResourceSlices.
void add_claimed_gpus(Context& context, job::QueueState& state, std::vector<job::NodeGpus>& nodes) {
  const auto slices = list_if_allowed(context, job::kResourceSlices);
  if (!slices || slices->empty()) return;
  const auto claims = list_if_allowed(context, job::kResourceClaims);
  if (!claims) context.note("you may not list resource claims: USED leaves out the GPUs that they hold");
  std::map<std::string, std::string> holders;
  state.queue.each([&](const Json&, const std::vector<Json>& pods, const job::QueueEntry& entry) {
    for (const Json& pod : pods) holders[api::full_name_of(pod)] = holder_of(pod, entry.job);
  });
  static const std::vector<Json> none;
  job::add_devices(job::devices_of(*slices, claims ? *claims : none), state.nodes, holders, nodes);
}

int run_nodes(Context& context, const TopOptions& options) {
  job::QueueState state = job::read_queue(context.client(), context.place().namespace_name);
  if (std::ranges::find(state.unseen, "nodes") != state.unseen.end()) {
    print_quotas_instead(context, options);
    return 0;
  }
  if (!state.only_namespace.empty())
    context.note("you may not list pods in all namespaces: USED includes only namespace " +
                 state.only_namespace);
  state.queue.entries();  // this is called only because it updates the queue's views of jobs
  job::GpuCount count(state.nodes);
  state.queue.each([&](const Json&, const std::vector<Json>& pods, const job::QueueEntry& entry) {
    for (const Json& pod : pods) count.add(pod, holder_of(pod, entry.job));
  });
  std::vector<job::NodeGpus> nodes = count.nodes();
  add_claimed_gpus(context, state, nodes);
  if (!options.type.empty())
    std::erase_if(nodes, [&](const job::NodeGpus& node) { return !node.type.starts_with(options.type); });
  if (options.wants_data())
    ui::print_value(context.streams(), ui::to_json(std::span<const job::NodeGpus>(nodes)), options.output,
                    !options.no_headers);
  else if (nodes.empty() && options.type.empty())
    return list_nodes_instead(context, options);
  else if (nodes.empty())
    context.note("no node has GPUs of type " + options.type);
  else
    ui::print_nodes(context.streams(), nodes, options.table());
  return 0;
}

int run_jobs(Context& context, const TopOptions& options) {
  const std::string namespace_name = context.list_namespace(options.all_namespaces);
  job::QueueState state = job::read_queue(context.client(), context.place().namespace_name);
  std::vector<const job::QueueEntry*> running;
  for (const job::QueueEntry* entry : state.queue.entries())
    if (job::has_running_pods(entry->job.state) &&
        (namespace_name.empty() || entry->job.namespace_name == namespace_name))
      running.push_back(entry);
  const std::vector<job::Progress> progress = job::read_progress(context.client(), running);
  const auto usage = job::read_usage(context.client(), namespace_name);
  std::map<const job::QueueEntry*, job::PodUsage> usages;
  state.queue.each([&](const Json&, const std::vector<Json>& pods, const job::QueueEntry& entry) {
    std::vector<const Json*> own;
    for (const Json& pod : pods) own.push_back(&pod);
    usages[&entry] = job::sum_of(usage, own);
  });
  std::vector<ui::JobUse> uses;
  for (size_t i = 0; i < running.size(); ++i) uses.push_back({running[i], usages[running[i]], progress[i]});
  if (options.wants_data()) {
    Json items = Json::array();
    for (const ui::JobUse& use : uses) items.push_back(ui::to_json(use));
    ui::print_value(context.streams(), items, options.output, !options.no_headers);
  } else if (uses.empty()) {
    context.note("no jobs are running" + (namespace_name.empty() ? "" : " in namespace " + namespace_name));
  } else {
    ui::print_job_uses(context.streams(), uses, options.table(), system_clock().now());
  }
  return 0;
}

int run_queues(Context& context, const TopOptions& options) {
  const std::vector<job::QueueView> queues =
      job::read_queues(context.client(), context.list_namespace(options.all_namespaces));
  if (options.wants_data())
    ui::print_value(context.streams(), ui::to_json(std::span<const job::QueueView>(queues)), options.output,
                    !options.no_headers);
  else if (queues.empty())
    context.note("no queues" +
                 (options.all_namespaces ? "" : " in namespace " + context.place().namespace_name));
  else
    ui::print_queues(context.streams(), queues, options.table());
  return 0;
}

Command top_subcommand(std::string name, std::string summary, int (*run)(Context&, const TopOptions&),
                       bool by_namespace, bool by_type = false) {
  auto options = std::make_shared<TopOptions>();
  Command command{std::move(name), std::move(summary)};
  if (by_namespace)
    command.flag("-A,--all-namespaces", options->all_namespaces, "show all namespaces")
        .details("Include all namespaces.");
  if (by_type)
    command.option("--type", "TYPE", options->type, "only GPUs of this type: a100, mig-1g.5gb")
        .details("Show only GPUs of this type, such as a100 or mig-1g.5gb.");
  add_output(command, *options);
  command.run = [options, run](Context& context) { return run(context, *options); };
  return command;
}

}  // namespace

Command top_command() {
  Command command{"top", "Show the GPUs of the cluster, who holds them, and how they are used"};
  command.examples = "kml top nodes\nkml top jobs";
  Command nodes =
      top_subcommand("nodes", "Show the GPUs of each node, who holds them, and how large a job could start",
                     run_nodes, false, true);
  nodes.description =
      R"(COULD START NOW shows how many pods with 8, 4, 2 or 1 GPUs would fit, considering only GPUs. If you may not list
nodes, kml shows the GPUs that quotas and queues (of Kueue or Volcano) grant. If no node has GPUs, kml shows CPUs and
memory, like `kml list nodes`.)";
  nodes.examples = R"(kml top nodes
# Only nodes with this type of GPU
kml top nodes --type a100)";
  Command jobs =
      top_subcommand("jobs", "Show how running jobs use their GPUs, CPUs and memory", run_jobs, true);
  jobs.description =
      R"(For STEP, ENDS, SAVED and METRICS, kml reads the tail of one pod's log per job, for up to 50 jobs. kml shows
the metrics that `kml logs --metrics` finds, and the last line that reports a checkpoint. CPU and MEMORY come from the
metrics API. GPU% comes from NVIDIA DCGM (as a custom metric) or from the log, if either has this value.)";
  jobs.examples = R"(kml top jobs
# All namespaces, as JSON
kml top jobs -A -o json)";
  Command queues = top_subcommand(
      "queues", "Show Kueue's and Volcano's queues, with their waiting and admitted jobs, and quotas",
      run_queues, true);
  queues.examples = R"(kml top queues
# The queues in all namespaces, not cut to the terminal's width
kml top queues -A -o wide)";
  command.subcommands = {std::move(nodes), std::move(jobs), std::move(queues)};
  return command;
}

}  // namespace kml::cli
