#include "job/tables/capacity_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <ostream>

#include "kml/base/json_number.h"
#include "kml/base/text.h"
#include "kml/ui/columns.h"
#include "kml/ui/table.h"

namespace kml::ui {

namespace {

using job::GpuQuota;
using job::NodeGpus;
using job::QueueView;

Streams maybe_uncut(Streams streams, bool wide) {
  return wide ? uncut(streams) : streams;
}

/// The jobs that hold GPUs, the largest first: "4 bert (ana), 2 gpt".
std::string holders(const NodeGpus& node) {
  std::vector<std::pair<int64_t, std::string>> order;
  for (const auto& [name, gpus] : node.held_by)
    if (gpus > 0) order.emplace_back(-gpus, name);
  std::sort(order.begin(), order.end());
  std::string text;
  for (const auto& [gpus, name] : order)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", -gpus, name);
  return text;
}

std::map<std::string, std::vector<NodeGpus>> by_type(std::span<const NodeGpus> nodes) {
  std::map<std::string, std::vector<NodeGpus>> types;
  for (const NodeGpus& node : nodes) types[node.type].push_back(node);
  return types;
}

struct Sums {
  int64_t total = 0, used = 0, free = 0;
};
Sums sums_of(std::span<const NodeGpus> nodes) {
  Sums sums;
  for (const NodeGpus& node : nodes) {
    sums.total += node.total;
    sums.used += node.used;
    sums.free += node.free();
  }
  return sums;
}

/// "3 pods x 8 GPUs, 7 x 4, 14 x 2, 29 x 1"
std::string gangs_of(std::span<const NodeGpus> nodes) {
  std::vector<job::Gang> gangs = job::largest_gangs(nodes);
  std::reverse(gangs.begin(), gangs.end());
  std::string text;
  for (const job::Gang& gang : gangs)
    if (gang.pods > 0)
      text += text.empty() ? fmt::format("{} pod{} x {} GPU{}", gang.pods, gang.pods == 1 ? "" : "s",
                                         gang.gpus_per_pod, gang.gpus_per_pod == 1 ? "" : "s")
                           : fmt::format(", {} x {}", gang.pods, gang.gpus_per_pod);
  if (text.empty()) text = "nothing";
  int64_t reserved = 0;
  for (const NodeGpus& node : nodes)
    if (node.is_reserved()) reserved += node.free();
  return reserved == 0
             ? text
             : text + fmt::format("; {} more GPU{} on tainted nodes", reserved, reserved == 1 ? "" : "s");
}

std::string used_of(const GpuQuota& quota) {
  return fmt::format("{}/{}", quota.used, quota.limit ? std::to_string(*quota.limit) : "?");
}

/// How busy the GPUs are, as DCGM reports or, without DCGM, as the training itself reports.
std::optional<double> gpu_percent(const JobUse& job) {
  if (job.usage.gpu_percent) return job.usage.gpu_percent;
  for (const auto& [name, value] : job.progress.metrics)
    if (std::isfinite(value) &&
        (name == "gpu_util" || name == "gpu_utilization" || name == "gpu_utilisation"))
      return value <= 1 ? value * 100 : value;
  return {};
}

std::string gpus_of_queue(const QueueView& queue) {
  std::vector<std::string> gpus;
  for (const GpuQuota& quota : queue.quotas)
    gpus.push_back((quota.flavor.empty() ? "" : quota.flavor + ":") + used_of(quota));
  return or_dash(join(gpus, ","));
}

/// "4", or "4/6" with a limit, for each flavor of a queue in a cohort.
std::string borrowed_of_queue(const QueueView& queue) {
  if (queue.cohort.empty()) return "-";
  std::vector<std::string> gpus;
  for (const GpuQuota& quota : queue.quotas)
    gpus.push_back((quota.flavor.empty() ? "" : quota.flavor + ":") + std::to_string(quota.borrowed) +
                   (quota.borrowing_limit ? "/" + std::to_string(*quota.borrowing_limit) : ""));
  return or_dash(join(gpus, ","));
}

/// "3/10"
std::string step_of(const job::Progress& progress) {
  if (!progress.step) return "-";
  return number_text(*progress.step) + (progress.steps ? "/" + number_text(*progress.steps) : "");
}

/// When the job will end: "~2h" judging by its progress, "<2h" by its time limit.
std::string end_of(const JobUse& use, Time now) {
  const auto left = [&](Time end) { return short_duration(std::max(end - now, nanoseconds(0))); };
  if (use.entry->is_ending(now)) return "stopping";
  return use.progress.ends_at ? "~" + left(*use.progress.ends_at)
         : use.entry->ends_at ? "~" + left(*use.entry->ends_at)
         : use.entry->ends_by ? "<" + short_duration_at_most(*use.entry->ends_by - now)
                              : "-";
}

std::string metrics_of(const job::Progress& progress) {
  std::vector<std::string> metrics;
  for (const auto& [name, value] : progress.metrics) metrics.push_back(name + "=" + number_text(value));
  return join(metrics, " ");
}

}  // namespace

std::string memory_text(int64_t bytes) {
  constexpr double kMebi = 1024.0 * 1024;
  const double mebis = static_cast<double>(bytes) / kMebi;
  if (bytes > 0 && mebis < 1) return fmt::format("{:.0f}Ki", mebis * 1024);
  return mebis < 1024 ? fmt::format("{:.0f}Mi", mebis) : fmt::format("{:.1f}Gi", mebis / 1024);
}

void print_nodes(const Streams& streams, std::span<const NodeGpus> nodes, const TableOptions& options) {
  const std::vector<Column<NodeGpus>> columns = {
      {"NODE", &NodeGpus::node},
      {"TYPE", &NodeGpus::type},
      {"TOTAL", [](const NodeGpus& node) { return std::to_string(node.total); }},
      {"USED", [](const NodeGpus& node) { return std::to_string(node.used); }},
      {"FREE",
       [](const NodeGpus& node) -> Cell {
         return {std::to_string(node.free()), node.free() > 0 ? Style::green : Style::plain};
       }},
      {"STATE",
       [](const NodeGpus& node) -> Cell {
         return node.closed.empty() ? Cell{"ready"} : Cell{node.closed, Style::red};
       }},
      {"TAINTS", [](const NodeGpus& node) { return or_dash(join(node.taints, ",")); }},
      {"HELD BY", holders}};
  Table table = table_of(columns, nodes);
  table.drop_first({"TAINTS", "STATE", "TYPE", "TOTAL"});
  table.print(maybe_uncut(streams, options.wide), options.with_header);
  streams.out << "\n";
  const auto of_types = by_type(nodes);
  using Type = decltype(of_types)::value_type;
  const std::vector<Column<Type>> type_columns = {
      {"TYPE", [](const Type& type) { return type.first; }},
      {"NODES", [](const Type& type) { return std::to_string(type.second.size()); }},
      {"TOTAL", [](const Type& type) { return std::to_string(sums_of(type.second).total); }},
      {"USED", [](const Type& type) { return std::to_string(sums_of(type.second).used); }},
      {"FREE", [](const Type& type) { return std::to_string(sums_of(type.second).free); }},
      {"COULD START NOW", [](const Type& type) { return gangs_of(type.second); }}};
  Table types = table_of(type_columns, of_types);
  types.drop_first({"NODES", "TOTAL"});
  types.print(streams, options.with_header);
}

Json to_json(std::span<const NodeGpus> nodes) {
  Json items = Json::array(), types = Json::array();
  for (const NodeGpus& node : nodes)
    items.push_back({{"node", node.node},
                     {"type", node.type},
                     {"resource", node.resource},
                     {"total", node.total},
                     {"used", node.used},
                     {"free", node.free()},
                     {"closed", node.closed},
                     {"taints", node.taints},
                     {"heldBy", node.held_by}});
  for (const auto& [type, of_type] : by_type(nodes)) {
    const Sums sums = sums_of(of_type);
    Json gangs = Json::array();
    for (const job::Gang& gang : job::largest_gangs(of_type))
      gangs.push_back({{"gpusPerPod", gang.gpus_per_pod}, {"pods", gang.pods}});
    types.push_back({{"type", type},
                     {"total", sums.total},
                     {"used", sums.used},
                     {"free", sums.free},
                     {"couldStart", gangs}});
  }
  return {{"nodes", items}, {"types", types}};
}

void print_quotas(const Streams& streams, std::span<const GpuQuota> quotas, const TableOptions& options) {
  const std::vector<Column<GpuQuota>> columns = {
      {"NAMESPACE", &GpuQuota::namespace_name},
      {"RESOURCE", &GpuQuota::resource},
      {"FLAVOR", [](const GpuQuota& quota) { return or_dash(quota.flavor); }},
      {"USED", [](const GpuQuota& quota) { return std::to_string(quota.used); }},
      {"LIMIT", [](const GpuQuota& quota) { return quota.limit ? std::to_string(*quota.limit) : "?"; }},
      {"FREE",
       [](const GpuQuota& quota) {
         return quota.limit ? std::to_string(std::max<int64_t>(*quota.limit - quota.used, 0)) : "?";
       }},
      {"BY", &GpuQuota::source}};
  Table table = table_of(columns, quotas);
  table.drop_first({"NAMESPACE", "FLAVOR"});
  table.print(maybe_uncut(streams, options.wide), options.with_header);
}

Json to_json(std::span<const GpuQuota> quotas) {
  Json items = Json::array();
  for (const GpuQuota& quota : quotas)
    items.push_back({{"source", quota.source},
                     {"namespace", quota.namespace_name},
                     {"resource", quota.resource},
                     {"flavor", quota.flavor},
                     {"limit", quota.limit ? Json(*quota.limit) : Json()},
                     {"used", quota.used},
                     {"borrowed", quota.borrowed},
                     {"borrowingLimit", quota.borrowing_limit ? Json(*quota.borrowing_limit) : Json()}});
  return items;
}

void print_queues(const Streams& streams, std::span<const QueueView> queues, const TableOptions& options) {
  const auto any = [&](const auto& has) { return std::any_of(queues.begin(), queues.end(), has); };
  const bool any_cohort = any([](const QueueView&queue) { return !queue.cohort.empty(); }),
             any_weight = any([](const QueueView&queue) { return !queue.weight.empty(); });
  const std::vector<Column<QueueView>> columns = {
      {"NAMESPACE", &QueueView::namespace_name},
      {"QUEUE", &QueueView::name},
      {"CLUSTER QUEUE", [](const QueueView& queue) { return or_dash(queue.cluster_queue); }},
      {"COHORT", [](const QueueView& queue) { return or_dash(queue.cohort); }, any_cohort},
      {"WEIGHT", [](const QueueView& queue) { return or_dash(queue.weight); }, any_weight},
      {"STRATEGY", [](const QueueView& queue) { return or_dash(queue.strategy); }},
      {"PENDING", [](const QueueView& queue) { return std::to_string(queue.pending); }},
      {"RESERVING", [](const QueueView& queue) { return std::to_string(queue.reserving); }},
      {"ADMITTED", [](const QueueView& queue) { return std::to_string(queue.admitted); }},
      {"GPUS", gpus_of_queue},
      {"BORROWED", borrowed_of_queue, any_cohort},
      {"STATE", [](const QueueView& queue) -> Cell {
         return queue.problem.empty() ? Cell{"active"} : Cell{queue.problem, Style::red};
       }}};
  Table table = table_of(columns, queues);
  table.drop_first({"STRATEGY", "RESERVING", "NAMESPACE", "CLUSTER QUEUE", "WEIGHT", "COHORT"});
  table.print(maybe_uncut(streams, options.wide), options.with_header);
}

Json to_json(std::span<const QueueView> queues) {
  Json items = Json::array();
  for (const QueueView& queue : queues)
    items.push_back({{"namespace", queue.namespace_name},
                     {"name", queue.name},
                     {"clusterQueue", queue.cluster_queue},
                     {"cohort", queue.cohort},
                     {"weight", queue.weight},
                     {"weightedShare", queue.weighted_share ? Json(*queue.weighted_share) : Json()},
                     {"strategy", queue.strategy},
                     {"pending", queue.pending},
                     {"reserving", queue.reserving},
                     {"admitted", queue.admitted},
                     {"problem", queue.problem},
                     {"quotas", to_json(std::span(queue.quotas))}});
  return items;
}

void print_job_uses(const Streams& streams, std::span<const JobUse> uses, const TableOptions& options,
                    Time now) {
  const std::vector<Column<JobUse>> columns = {
      {"NAMESPACE", [](const JobUse& use) { return use.entry->job.namespace_name; }, options.with_namespace},
      {"JOB", [](const JobUse& use) { return kind_and_name(use.entry->job); }},
      {"USER", [](const JobUse& use) { return or_dash(use.entry->job.user); }},
      {"PODS",
       [](const JobUse& use) { return fmt::format("{}/{}", use.entry->job.running, use.entry->job.pods); }},
      {"GPUS",
       [](const JobUse& use) {
         const std::string& type = use.entry->gpu_type;
         return (type.empty() ? "" : type + ":") + std::to_string(use.entry->gpus_held);
       }},
      {"RESTARTS", [](const JobUse& use) { return std::to_string(use.entry->restarts); }},
      {"GPU%",
       [](const JobUse& use) {
         const auto percent = gpu_percent(use);
         return percent ? fmt::format("{:.0f}", *percent) : "-";
       }},
      {"CPU",
       [](const JobUse& use) { return use.usage.cpus ? fmt::format("{:.2g}", *use.usage.cpus) : "-"; }},
      {"MEMORY", [](const JobUse& use) { return use.usage.memory ? memory_text(*use.usage.memory) : "-"; }},
      {"STEP", [](const JobUse& use) { return step_of(use.progress); }},
      {"ENDS", [now](const JobUse& use) { return end_of(use, now); }},
      {"SAVED",
       [now](const JobUse& use) {
         return use.progress.saved_at ? age(use.progress.saved_at, now) + " ago" : "-";
       }},
      {"METRICS", [](const JobUse& use) { return metrics_of(use.progress); }}};
  Table table = table_of(columns, uses);
  table.drop_first({"CPU", "MEMORY", "USER", "SAVED", "RESTARTS", "NAMESPACE", "PODS", "GPU%"});
  table.print(maybe_uncut(streams, options.wide), options.with_header);
}

Json to_json(const JobUse& use) {
  const auto maybe = [](const auto& value) { return value ? Json(*value) : Json(); };
  const auto time = [](const std::optional<Time>& at) { return at ? Json(rfc3339(*at)) : Json(); };
  Json metrics = Json::object();
  for (const auto& [name, value] : use.progress.metrics) metrics[name] = json_of_number(value);
  const job::JobView& job = use.entry->job;
  return {{"kind", job.kind},
          {"name", job.name},
          {"namespace", job.namespace_name},
          {"user", job.user},
          {"pods", job.pods},
          {"podsRunning", job.running},
          {"gpus", use.entry->gpus_held},
          {"gpuType", use.entry->gpu_type},
          {"restarts", use.entry->restarts},
          {"nodes", job.nodes},
          {"gpuPercent", maybe(gpu_percent(use))},
          {"cpus", maybe(use.usage.cpus)},
          {"memoryBytes", maybe(use.usage.memory)},
          {"step", maybe(use.progress.step)},
          {"steps", maybe(use.progress.steps)},
          {"estimatedEnd", time(use.progress.ends_at ? use.progress.ends_at : use.entry->ends_at)},
          {"limit", time(use.entry->ends_by)},
          {"lastCheckpoint", time(use.progress.saved_at)},
          {"metrics", metrics}};
}

}  // namespace kml::ui
