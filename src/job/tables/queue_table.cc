#include "kml/job/tables/queue_table.h"

#include <algorithm>

#include "kml/base/text.h"

namespace kml::ui {

namespace {

using jobs::QueueEntry;
using jobs::State;

std::string priority_of(const QueueEntry& entry) {
  const std::string& name = entry.job.priority_class;
  return std::to_string(entry.priority) + (name.empty() ? "" : " " + name);
}

/// "a100:8", in the syntax of `--gpus`; "a100:4/8" if the job holds only some of them.
std::string gpus_of(const QueueEntry& entry) {
  const bool in_part = entry.gpus_held > 0 && entry.gpus_held < entry.job.gpus;
  return (entry.gpu_type.empty() ? "" : entry.gpu_type + ":") +
         (in_part ? std::to_string(entry.gpus_held) + "/" : "") + std::to_string(entry.job.gpus);
}

/// How long it has been running or waiting.
std::string time_of(const QueueEntry& entry, Time now) {
  if (has_running_pods(entry.job.state)) return age(entry.job.started, now);
  return entry.job.state == State::waiting ? age(entry.waiting_since, now) : "-";
}

std::string from_now(Time time, Time now) {
  return short_duration(std::max(time - now, nanoseconds(0)));
}

/// "ends <2h" by its time limit, "ends ~40m" by the training's progress, "starts ~5m-20m" by an estimate;
/// empty if nothing is known.
std::string when(const QueueEntry& entry, const jobs::StartEstimates& starts, Time now) {
  if (has_running_pods(entry.job.state)) {
    if (entry.ends_at) return "ends ~" + from_now(*entry.ends_at, now);
    return entry.ends_by ? "ends <" + from_now(*entry.ends_by, now) : "";
  }
  const auto start = starts.find(jobs::id_of(entry));
  if (entry.job.state != State::waiting || start == starts.end()) return {};
  const std::string early = from_now(start->second.earliest, now), late = from_now(start->second.latest, now);
  return "starts ~" + (early == late ? late : early + "-" + late);
}

/// Why it waits, or where it runs.
std::string reason_of(const QueueEntry& entry, bool wide, Time now) {
  const jobs::JobView& job = entry.job;
  if (!has_running_pods(job.state)) return wide && !job.message.empty() ? job.message : job.cause_at(now);
  constexpr size_t kNamed = 3;
  const size_t named = std::min(job.nodes.size(), kNamed);
  std::string text = named == 0 ? "" : "on " + join({job.nodes.data(), named}, ",");
  if (job.nodes.size() > named) text += " and " + std::to_string(job.nodes.size() - named) + " more";
  return job.cause.empty() ? text : text + (text.empty() ? "" : "; ") + job.cause;
}

/// Local time, because users plan their day by it.
std::string clock_time(Time time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(
      std::chrono::time_point_cast<std::chrono::system_clock::duration>(time));
  std::tm local{};
  ::localtime_r(&seconds, &local);
  char text[32];
  const size_t size = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M", &local);
  return {text, size};
}

}  // namespace

void print_queue(const Streams& streams, QueueEntries entries, const jobs::StartEstimates& starts,
                 const TableOptions& options, Time now) {
  const auto any_of = [&](const auto& tells) { return std::any_of(entries.begin(), entries.end(), tells); };
  std::vector<std::string> header = {"POS", "JOB", "USER", "PRIORITY", "GPUS", "AGE", "STATE", "TIME"};
  if (options.with_namespace) header.insert(header.begin() + 1, "NAMESPACE");
  // In a pipe, the columns stay the same, so that outputs can be compared.
  const bool has_times = options.wide || !streams.out_is_terminal ||
                         any_of([&](const QueueEntry* entry) { return !when(*entry, starts, now).empty(); });
  if (has_times) header.emplace_back("WHEN");
  const bool has_queues =
      options.wide || any_of([](const QueueEntry* entry) { return !entry->queue.empty(); });
  if (has_queues) header.emplace_back("QUEUE");
  const bool has_saves = any_of([](const QueueEntry* entry) { return entry->saved_at.has_value(); });
  if (has_saves) header.emplace_back("SAVED");
  if (options.wide) header.insert(header.end(), {"PODS", "NODE SELECTOR", "NODES"});
  header.emplace_back("REASON");
  Table table(header);
  table.drop_first({"AGE", "PRIORITY", "QUEUE", "SAVED", "TIME", "USER", "NAMESPACE", "WHEN", "STATE"});
  for (const QueueEntry* entry : entries) {
    const jobs::JobView& job = entry->job;
    std::vector<Cell> row = {{entry->position > 0 ? std::to_string(entry->position) : "-"}};
    if (options.with_namespace) row.push_back({job.namespace_name});
    row.push_back({kind_and_name(job)});
    row.push_back({or_dash(job.user)});
    row.push_back({priority_of(*entry)});
    row.push_back({gpus_of(*entry)});
    row.push_back({age(job.created, now)});
    row.push_back({std::string(name_of(job.state)), style_of(job.state)});
    row.push_back({time_of(*entry, now)});
    if (has_times) row.push_back({or_dash(when(*entry, starts, now))});
    if (has_queues)
      row.push_back({or_dash(entry->cluster_queue.empty() ? entry->queue
                                                          : entry->queue + " of " + entry->cluster_queue)});
    if (has_saves) row.push_back({entry->saved_at ? age(entry->saved_at, now) + " ago" : "-"});
    if (options.wide) {
      row.push_back({std::to_string(job.running) + "/" + std::to_string(job.pods)});
      row.push_back({or_dash(job.node_selector)});
      row.push_back({or_dash(join(job.nodes, ","))});
    }
    row.push_back({reason_of(*entry, options.wide, now)});
    table.add(std::move(row));
  }
  table.print(options.wide ? uncut(streams) : streams, options.with_header);
}

void print_starts(const Streams& streams, QueueEntries entries, const jobs::StartEstimates& starts,
                  const TableOptions& options, Time now) {
  std::vector<std::string> header = {"POS", "JOB", "USER", "GPUS", "WAITS", "EARLIEST", "LATEST", "REASON"};
  if (options.with_namespace) header.insert(header.begin() + 1, "NAMESPACE");
  Table table(header);
  table.drop_first({"WAITS", "USER", "NAMESPACE", "EARLIEST"});
  for (const QueueEntry* entry : entries) {
    if (entry->job.state != State::waiting) continue;
    const auto start = starts.find(jobs::id_of(*entry));
    const bool known = start != starts.end();
    std::vector<Cell> row = {{std::to_string(entry->position)}};
    if (options.with_namespace) row.push_back({entry->job.namespace_name});
    row.push_back({kind_and_name(entry->job)});
    row.push_back({or_dash(entry->job.user)});
    row.push_back({gpus_of(*entry)});
    row.push_back({age(entry->waiting_since, now)});
    row.push_back({known ? "~" + clock_time(start->second.earliest) : "unknown"});
    row.push_back({known ? "~" + clock_time(start->second.latest) : "unknown"});
    row.push_back({reason_of(*entry, options.wide, now)});
    table.add(std::move(row));
  }
  table.print(options.wide ? uncut(streams) : streams, options.with_header);
}

Json to_json(const jobs::QueueEntry& entry, const jobs::StartEstimates& starts) {
  const jobs::JobView& job = entry.job;
  const auto time = [](const std::optional<Time>& when) { return when ? Json(rfc3339(*when)) : Json(); };
  Json json = {
      {"position", entry.position},
      {"kind", job.kind},
      {"name", job.name},
      {"namespace", job.namespace_name},
      {"user", job.user},
      {"priority", entry.priority},
      {"priorityClass", job.priority_class},
      {"gpus", job.gpus},
      {"gpuType", entry.gpu_type},
      {"gpusHeld", entry.gpus_held},
      {"pods", job.pods},
      {"podsRunning", job.running},
      {"created", rfc3339(job.created)},
      {"started", time(has_running_pods(job.state) ? job.started : std::nullopt)},
      {"waitingSince", time(job.state == State::waiting ? std::optional(entry.waiting_since) : std::nullopt)},
      {"state", name_of(job.state)},
      {"queue", entry.queue},
      {"clusterQueue", entry.cluster_queue},
      {"nodes", job.nodes},
      {"limit", time(entry.ends_by)},
      {"estimatedEnd", time(entry.ends_at)},
      {"lastCheckpoint", time(entry.saved_at)},
      {"cause", job.cause},
      {"nextAttempt", time(job.next_attempt)},
      {"message", job.message},
      {"estimatedStart", nullptr}};
  if (const auto start = starts.find(jobs::id_of(entry)); start != starts.end())
    json["estimatedStart"] = {{"earliest", rfc3339(start->second.earliest)},
                              {"latest", rfc3339(start->second.latest)}};
  return json;
}

}  // namespace kml::ui
