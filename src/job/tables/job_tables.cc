#include "kml/job/tables/job_tables.h"

#include <functional>

#include "kml/base/text.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/resource.h"
#include "kml/ui/table.h"

namespace kml::ui {

namespace {

/// A job's own time, from its first pod to its end. The API does not report how long a suspended job ran.
std::string run_time(const jobs::JobView& job, Time now) {
  if (!job.started || job.state == jobs::State::waiting || job.state == jobs::State::suspended) return "-";
  return short_duration(job.finished.value_or(now) - *job.started);
}

/// The number of running pods, or of succeeded ones if the job has ended.
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
    case jobs::State::cancelling:
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

namespace {

using Text = std::function<std::string(const jobs::Attempt&)>;

/// "0-639"; "640-" if it is still running, or did not report its last step.
std::string steps(const jobs::Attempt& attempt) {
  if (!attempt.first_step) return {};
  const std::string first = std::to_string(*attempt.first_step) + "-";
  if (attempt.last_step) return first + std::to_string(*attempt.last_step);
  return attempt.end && attempt.number ? "none" : first;
}

std::string run_time(const jobs::Attempt& attempt, Time now) {
  if (!attempt.start) return {};
  if (attempt.end) return short_duration(*attempt.end - *attempt.start);
  return attempt.result == "Running" ? short_duration(now - *attempt.start) : "";
}

}  // namespace

void print_attempts(const Streams& streams, std::span<const jobs::Attempt> attempts, Time now) {
  using jobs::Attempt;
  const std::vector<std::pair<std::string, Text>> columns = {
      {"POD", [](const Attempt& attempt) { return attempt.pod; }},
      {"INDEX", [](const Attempt& attempt) { return attempt.index; }},
      {"NODE", [](const Attempt& attempt) { return attempt.node; }},
      {"STARTED", [](const Attempt& attempt) { return attempt.start ? rfc3339(*attempt.start) : ""; }},
      {"RUN TIME", [now](const Attempt& attempt) { return run_time(attempt, now); }},
      {"STEPS", steps},
      {"EXIT",
       [](const Attempt& attempt) { return attempt.exit_code ? std::to_string(*attempt.exit_code) : ""; }},
      {"RESULT", [](const Attempt& attempt) { return attempt.result; }}};
  std::vector<std::string> header = {"ATTEMPT"};
  std::vector<const Text*> shown;
  for (const auto& column : columns)
    if (std::any_of(attempts.begin(), attempts.end(),
                    [&](const Attempt& it) { return !column.second(it).empty(); })) {
      header.push_back(column.first);
      shown.push_back(&column.second);
    }
  Table table(header);
  for (size_t i = 0; i < attempts.size(); ++i) {
    std::vector<Cell> row = {{std::to_string(i + 1)}};
    for (const Text* text : shown) {
      std::string cell = (*text)(attempts[i]);
      row.push_back({cell.empty() ? "-" : std::move(cell)});
    }
    table.add(std::move(row));
  }
  table.print(streams);
}

Json to_json(std::span<const jobs::Attempt> attempts) {
  Json items = Json::array();
  for (const jobs::Attempt& attempt : attempts) {
    Json item = {{"pod", attempt.pod}, {"index", attempt.index}, {"result", attempt.result}};
    const std::string preemptor = attempt.preempted_by.empty() ? "unknown" : attempt.preempted_by;
    set_said(item, {{"node", attempt.node},
                    {"start", api::time_text(attempt.start)},
                    {"end", api::time_text(attempt.end)},
                    {"exitCode", or_null(attempt.exit_code)},
                    {"firstStep", or_null(attempt.first_step)},
                    {"lastStep", or_null(attempt.last_step)},
                    {"preemptedBy", attempt.preempted ? preemptor : ""}});
    items.push_back(std::move(item));
  }
  return items;
}

}  // namespace kml::ui
