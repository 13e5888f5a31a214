#include "job/tables/queue_table.h"

#include <algorithm>
#include <iterator>

#include "kml/base/text.h"
#include "kml/ui/columns.h"

namespace kml::ui {

namespace {

using job::QueueEntry;
using job::State;

std::string priority_of(const QueueEntry& entry) {
  const std::string& name = entry.job.priority_class;
  return std::to_string(entry.priority) + (name.empty() ? "" : " " + name);
}

/// GPUs in the syntax of `--gpus`: "a100:8", or "a100:4/8" if the job only holds some of them.
std::string gpus_of(const QueueEntry& entry) {
  if (entry.job.is_size_unknown) return "?";
  const bool in_part = entry.gpus_held > 0 && entry.gpus_held < entry.job.gpus;
  return (entry.gpu_type.empty() ? "" : entry.gpu_type + ":") +
         (in_part ? std::to_string(entry.gpus_held) + "/" : "") + std::to_string(entry.job.gpus);
}

/// How long the entry has been running or waiting.
std::string time_of(const QueueEntry& entry, Time now) {
  if (job::has_running_pods(entry.job.state)) return age(entry.job.started, now);
  return entry.job.state == State::waiting ? age(entry.waiting_since, now) : "-";
}

std::string from_now(Time time, Time now) {
  return short_duration(std::max(time - now, nanoseconds(0)));
}

/// When something will happen: "ends <2h" (from the time limit), "ends ~40m" (from the training's progress)
/// or "starts ~5m-20m" (an estimate); empty if nothing is known.
std::string when(const QueueEntry& entry, const job::StartEstimates& starts, Time now) {
  if (job::has_running_pods(entry.job.state)) {
    if (entry.is_ending(now)) return "stopping";
    if (entry.ends_at) return "ends ~" + from_now(*entry.ends_at, now);
    return entry.ends_by ? "ends <" + short_duration_at_most(*entry.ends_by - now) : "";
  }
  const auto start = starts.find(job::id_of(entry));
  if (entry.job.state != State::waiting || start == starts.end()) return {};
  const std::string early = from_now(start->second.earliest, now), late = from_now(start->second.latest, now);
  return "starts ~" + (early == late ? late : early + "-" + late);
}

/// Why the entry waits, or where it runs.
std::string reason_of(const QueueEntry& entry, bool wide, Time now) {
  const job::JobView& job = entry.job;
  if (!job::has_running_pods(job.state))
    return wide && !job.message.empty() ? job.message : job.cause_at(now);
  constexpr size_t kNamed = 3;
  const size_t named = std::min(job.nodes.size(), kNamed);
  std::string text = named == 0 ? "" : "on " + join({job.nodes.data(), named}, ",");
  if (job.nodes.size() > named) text += " and " + std::to_string(job.nodes.size() - named) + " more";
  return job.cause.empty() ? text : text + (text.empty() ? "" : "; ") + job.cause;
}

/// In local time, because users plan their day by it.
std::string clock_time(Time time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(
      std::chrono::time_point_cast<std::chrono::system_clock::duration>(time));
  std::tm local{};
  ::localtime_r(&seconds, &local);
  char text[32];
  const size_t size = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M", &local);
  return {text, size};
}

using QueueColumn = Column<const QueueEntry*>;

std::string position_of(const QueueEntry* entry) {
  return entry->position > 0 ? std::to_string(entry->position) : "-";
}

QueueColumn namespace_column(const TableOptions& options) {
  return {"NAMESPACE", [](const QueueEntry* entry) { return entry->job.namespace_name; },
          options.with_namespace};
}

std::string queues_of(const QueueEntry* entry) {
  return or_dash(entry->cluster_queue.empty() ? entry->queue : entry->queue + " of " + entry->cluster_queue);
}

}  // namespace

void print_queue(const Streams& streams, QueueEntries entries, const job::StartEstimates& starts,
                 const TableOptions& options, Time now) {
  const auto any_of = [&](const auto& tells) { return std::any_of(entries.begin(), entries.end(), tells); };
  // In a pipe, the column WHEN is always shown, so that outputs can be compared.
  const bool has_times = options.wide || !streams.out_is_terminal ||
                         any_of([&](const QueueEntry* entry) { return !when(*entry, starts, now).empty(); });
  const bool has_queues =
      options.wide || any_of([](const QueueEntry* entry) { return !entry->queue.empty(); });
  const bool has_saves = any_of([](const QueueEntry* entry) { return entry->saved_at.has_value(); });
  const std::vector<QueueColumn> columns = {
      {"POS", position_of},
      namespace_column(options),
      {"JOB", [](const QueueEntry* entry) { return kind_and_name(entry->job); }},
      {"USER", [](const QueueEntry* entry) { return or_dash(entry->job.user); }},
      {"PRIORITY", [](const QueueEntry* entry) { return priority_of(*entry); }},
      {"GPUS", [](const QueueEntry* entry) { return gpus_of(*entry); }},
      {"AGE", [now](const QueueEntry* entry) { return age(entry->job.created, now); }},
      {"STATE",
       [](const QueueEntry* entry) -> Cell {
         return {std::string(job::name_of(entry->job.state)), style_of(entry->job.state)};
       }},
      {"TIME", [now](const QueueEntry* entry) { return time_of(*entry, now); }},
      {"WHEN", [&](const QueueEntry* entry) { return or_dash(when(*entry, starts, now)); }, has_times},
      {"QUEUE", queues_of, has_queues},
      {"SAVED",
       [now](const QueueEntry* entry) { return entry->saved_at ? age(entry->saved_at, now) + " ago" : "-"; },
       has_saves},
      {"PODS",
       [](const QueueEntry* entry) {
         return std::to_string(entry->job.running) + "/" + std::to_string(entry->job.pods);
       },
       options.wide},
      {"NODE SELECTOR", [](const QueueEntry* entry) { return or_dash(entry->job.node_selector); },
       options.wide},
      {"NODES", [](const QueueEntry* entry) { return or_dash(join(entry->job.nodes, ",")); }, options.wide},
      {"REASON", [&](const QueueEntry* entry) {
         return with_target(reason_of(*entry, options.wide, now), entry->job, options);
       }}};
  Table table = table_of(columns, entries);
  table.drop_first({"AGE", "PRIORITY", "QUEUE", "SAVED", "TIME", "USER", "NAMESPACE", "WHEN", "STATE"});
  table.print(options.wide ? uncut(streams) : streams, options.with_header);
}

void print_starts(const Streams& streams, QueueEntries entries, const job::StartEstimates& starts,
                  const TableOptions& options, Time now) {
  const auto start_of = [&](const QueueEntry* entry, Time job::StartRange::*end) {
    const auto start = starts.find(job::id_of(*entry));
    return start == starts.end() ? "unknown" : "~" + clock_time(start->second.*end);
  };
  const std::vector<QueueColumn> columns = {
      {"POS", position_of},
      namespace_column(options),
      {"JOB", [](const QueueEntry* entry) { return kind_and_name(entry->job); }},
      {"USER", [](const QueueEntry* entry) { return or_dash(entry->job.user); }},
      {"GPUS", [](const QueueEntry* entry) { return gpus_of(*entry); }},
      {"WAITS", [now](const QueueEntry* entry) { return age(entry->waiting_since, now); }},
      {"EARLIEST", [&](const QueueEntry* entry) { return start_of(entry, &job::StartRange::earliest); }},
      {"LATEST", [&](const QueueEntry* entry) { return start_of(entry, &job::StartRange::latest); }},
      {"REASON", [&](const QueueEntry* entry) {
         return with_target(reason_of(*entry, options.wide, now), entry->job, options);
       }}};
  std::vector<const QueueEntry*> waiting;
  std::copy_if(entries.begin(), entries.end(), std::back_inserter(waiting),
               [](const QueueEntry* entry) { return entry->job.state == State::waiting; });
  Table table = table_of(columns, waiting);
  table.drop_first({"WAITS", "USER", "NAMESPACE", "EARLIEST"});
  table.print(options.wide ? uncut(streams) : streams, options.with_header);
}

Json to_json(const job::QueueEntry& entry, const job::StartEstimates& starts) {
  const job::JobView& job = entry.job;
  const auto time = [](const std::optional<Time>& when) { return when ? Json(rfc3339(*when)) : Json(); };
  Json json = {
      {"position", entry.position},
      {"kind", job.kind},
      {"name", job.name},
      {"namespace", job.namespace_name},
      {"user", job.user},
      {"priority", entry.priority},
      {"priorityClass", job.priority_class},
      {"gpus", job.is_size_unknown ? Json() : Json(job.gpus)},
      {"gpuType", entry.gpu_type},
      {"gpusHeld", entry.gpus_held},
      {"pods", job.is_size_unknown ? Json() : Json(job.pods)},
      {"podsRunning", job.running},
      {"created", rfc3339(job.created)},
      {"started", time(job::has_running_pods(job.state) ? job.started : std::nullopt)},
      {"waitingSince", time(job.state == State::waiting ? std::optional(entry.waiting_since) : std::nullopt)},
      {"state", job::name_of(job.state)},
      {"queue", entry.queue},
      {"clusterQueue", entry.cluster_queue},
      {"nodes", job.nodes},
      {"limit", time(entry.ends_by)},
      {"estimatedEnd", time(entry.ends_at)},
      {"lastCheckpoint", time(entry.saved_at)},
      // The time until the next attempt passes; it has a member of its own.
      {"cause", job.next_attempt ? job.last_failure : job.cause},
      {"nextAttempt", time(job.next_attempt)},
      {"message", job.message},
      {"estimatedStart", nullptr}};
  if (const auto start = starts.find(job::id_of(entry)); start != starts.end())
    json["estimatedStart"] = {{"earliest", rfc3339(start->second.earliest)},
                              {"latest", rfc3339(start->second.latest)}};
  return json;
}

}  // namespace kml::ui
