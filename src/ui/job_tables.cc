#include "kml/ui/job_tables.h"

#include "kml/api/resource.h"
#include "kml/core/text.h"

namespace kml::ui {

namespace {

/// A job's own time: from its first pod to its end. The API does not tell how long a suspended one ran.
std::string run_time(const jobs::JobView& job, Time now) {
  if (!job.started || job.state == jobs::State::waiting || job.state == jobs::State::suspended) return "-";
  return short_duration(job.finished.value_or(now) - *job.started);
}

/// Of a job that goes on, the pods that run; of one that has ended, those that succeeded.
std::string pod_counts(const jobs::JobView& job) {
  return jobs::has_ended(job.state) ? std::to_string(job.succeeded) + "/" + std::to_string(job.completions)
                                    : std::to_string(job.running) + "/" + std::to_string(job.pods);
}

std::string whole_cause(const jobs::JobView& job, Time now) {
  return job.message.empty() ? job.cause_at(now) : job.message;
}

}  // namespace

std::string kind_and_name(const jobs::JobView& job) {
  const api::ResourceKind* kind = job.kind == "Job" ? nullptr : api::find_kind_by_word(job.kind);
  return kind ? std::string(kind->singular) + "/" + job.name : job.name;
}

std::string age(std::optional<Time> since, Time now) {
  return since ? short_duration(std::max(now - *since, nanoseconds(0))) : "-";
}

Style style_of(jobs::State state) {
  switch (state) {
    case jobs::State::running: return Style::green;
    case jobs::State::waiting: return Style::yellow;
    case jobs::State::failed: return Style::red;
    case jobs::State::suspended:
    case jobs::State::cancelled: return Style::dim;
    case jobs::State::succeeded: return Style::plain;
  }
  return Style::plain;
}

void print_jobs(const Streams& streams, std::span<const jobs::JobView> views, const TableOptions& options,
                Time now) {
  std::vector<std::string> header = {"JOB", "STATE", "PODS", "GPUS", "USER", "AGE", "RUN TIME"};
  if (options.with_namespace) header.insert(header.begin(), "NAMESPACE");
  if (options.wide) header.insert(header.end(), {"PRIORITY", "NODE SELECTOR", "NODES"});
  header.push_back("CAUSE");
  if (options.wide) header.push_back("COMMAND");
  Table table(header);
  for (const jobs::JobView& job : views) {
    std::vector<Cell> row;
    if (options.with_namespace) row.push_back({job.namespace_name});
    row.push_back({kind_and_name(job)});
    row.push_back({std::string(name_of(job.state)), style_of(job.state)});
    row.push_back({pod_counts(job)});
    row.push_back({std::to_string(job.gpus)});
    row.push_back({or_dash(job.user)});
    row.push_back({age(job.created, now)});
    row.push_back({run_time(job, now)});
    if (options.wide) {
      row.push_back({or_dash(job.priority_class)});
      row.push_back({or_dash(job.node_selector)});
      row.push_back({or_dash(join(job.nodes, ","))});
    }
    row.push_back({options.wide ? whole_cause(job, now) : job.cause_at(now)});
    if (options.wide) row.push_back({job.command});
    table.add(std::move(row));
  }
  table.print(options.wide ? uncut(streams) : streams, options.with_header);
}

}  // namespace kml::ui
