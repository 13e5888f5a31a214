#include "kml/job/tables/job_tables.h"

#include <functional>
#include <map>

#include "kml/base/text.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/resource.h"
#include "kml/ui/columns.h"
#include "kml/ui/table.h"

namespace kml::ui {

namespace {

/// How long the job has been running, or ran, from its first pod to its end. For a suspended job, the API
/// does not report this.
std::string run_time(const job::JobView& job, Time now) {
  if (const auto ran = job.run_time()) return short_duration(*ran);
  if (!job.started || job.state == job::State::waiting || job.state == job::State::suspended) return "-";
  return short_duration(job.finished.value_or(now) - *job.started);
}

std::string whole_cause(const job::JobView& job, Time now) {
  return job.message.empty() ? job.cause_at(now) : job.message;
}

}  // namespace

std::string with_flags(std::string text, const std::string& flags) {
  constexpr std::string_view kCommand = "`kml ";
  if (flags.empty()) return text;
  for (size_t at = 0; (at = text.find(kCommand, at)) != std::string::npos; at += flags.size()) {
    at += kCommand.size();
    text.insert(at, flags);
  }
  return text;
}

std::string with_target(std::string text, const job::JobView& job, const TableOptions& options) {
  const std::string own = options.with_namespace ? "-n " + job.namespace_name + " " : "";
  return with_flags(std::move(text), options.target + own);
}

std::string kind_and_name(const job::JobView& job) {
  if (job.kind == "Job") return job.name;
  const api::ResourceKind* kind = job::kind_shown_as(job.kind);
  if (!kind)
    kind = api::find_kind_by_word(
        job.kind);  // the holder of GPUs may be something other than a job: pod/notebook
  return kind ? std::string(kind->singular) + "/" + job.name : job.name;
}

std::string pod_counts(const job::JobView& job) {
  if (job.is_size_unknown) return std::to_string(job.running) + "/?";
  return job::has_ended(job.state) ? std::to_string(job.succeeded) + "/" + std::to_string(job.completions)
                                   : std::to_string(job.running) + "/" + std::to_string(job.pods);
}

std::string age(std::optional<Time> since, Time now) {
  return since ? short_duration(std::max(now - *since, nanoseconds(0))) : "-";
}

Style style_of(job::State state) {
  switch (state) {
    case job::State::running: return Style::green;
    case job::State::waiting: return Style::yellow;
    case job::State::unknown:
    case job::State::failed: return Style::red;
    case job::State::suspended:
    case job::State::cancelling:
    case job::State::cancelled: return Style::dim;
    case job::State::succeeded: return Style::plain;
  }
  return Style::plain;
}

void print_jobs(const Streams& streams, std::span<const job::JobView> views, const TableOptions& options,
                Time now, std::span<const std::string> gpu_types) {
  using job::JobView;
  const auto type_of = [&](const JobView& job) {
    const auto number = static_cast<size_t>(&job - views.data());
    return number < gpu_types.size() && !gpu_types[number].empty() ? gpu_types[number] + ":" : "";
  };
  const std::vector<Column<JobView>> columns = {
      {"NAMESPACE", &JobView::namespace_name, options.with_namespace},
      {"JOB", kind_and_name},
      {"STATE",
       [](const JobView& job) -> Cell {
         return {std::string(job::name_of(job.state)), style_of(job.state)};
       }},
      {"PODS", pod_counts},
      {"GPUS",
       [&](const JobView& job) {
         return job.is_size_unknown ? "?" : type_of(job) + std::to_string(job.gpus);
       }},
      {"USER", [](const JobView& job) { return or_dash(job.user); }},
      {"AGE", [now](const JobView& job) { return age(job.created, now); }},
      {"RUN TIME", [now](const JobView& job) { return run_time(job, now); }},
      {"PRIORITY", [](const JobView& job) { return or_dash(job.priority_class); }, options.wide},
      {"NODE SELECTOR", [](const JobView& job) { return or_dash(job.node_selector); }, options.wide},
      {"NODES", [](const JobView& job) { return or_dash(join(job.nodes, ",")); }, options.wide},
      {"CAUSE",
       [&](const JobView& job) {
         return with_target(options.wide ? whole_cause(job, now) : job.cause_at(now), job, options);
       }},
      {"COMMAND", &JobView::command, options.wide}};
  const Table table = table_of(columns, views);
  table.print(options.wide ? uncut(streams) : streams, options.with_header);
}

namespace {

/// The steps of an attempt: "0-639", "640-" if its last step is unknown, or "none" if the program reported
/// that it ended without a step.
std::string steps(const job::Attempt& attempt) {
  if (!attempt.first_step) return {};
  const std::string first = std::to_string(*attempt.first_step) + "-";
  if (attempt.last_step) return first + std::to_string(*attempt.last_step);
  return attempt.end && attempt.number ? "none" : first;
}

std::string run_time(const job::Attempt& attempt, Time now) {
  if (!attempt.start) return {};
  if (attempt.end) return short_duration(*attempt.end - *attempt.start);
  return attempt.result == "Running" ? short_duration(now - *attempt.start) : "";
}

}  // namespace

void print_attempts(const Streams& streams, std::span<const job::Attempt> attempts, Time now) {
  using job::Attempt;
  std::vector<Column<Attempt>> columns = {
      {"POD", &Attempt::pod},
      {"INDEX", &Attempt::index},
      {"NODE", &Attempt::node},
      {"STARTED", [](const Attempt& attempt) { return attempt.start ? rfc3339(*attempt.start) : ""; }},
      {"RUN TIME", [now](const Attempt& attempt) { return run_time(attempt, now); }},
      {"STEPS", steps},
      {"EXIT",
       [](const Attempt& attempt) { return attempt.exit_code ? std::to_string(*attempt.exit_code) : ""; }},
      {"RESULT", &Attempt::result}};
  columns = without_empty(std::move(columns), attempts);
  // Pods with different indexes run side by side, so each index counts its own attempts.
  std::vector<int> numbers;
  std::map<std::string, int> counted;
  for (const Attempt& attempt : attempts) numbers.push_back(++counted[attempt.index]);
  const auto number = [&](const Attempt& attempt) {
    return std::to_string(numbers[static_cast<size_t>(&attempt - attempts.data())]);
  };
  columns.insert(columns.begin(), {"ATTEMPT", number});
  const Table table = table_of(columns, attempts);
  table.print(streams);
}

Json to_json(std::span<const job::Attempt> attempts) {
  Json items = Json::array();
  for (const job::Attempt& attempt : attempts) {
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
