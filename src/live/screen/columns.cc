#include "live/screen/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kml/base/text.h"
#include "kml/job/views/job_view.h"
#include "kml/ui/sparkline.h"

namespace kml::live {

using ui::Cell;
using ui::Style;

namespace {

constexpr std::array<std::string_view, kAllViews.size()> kViewNames = {
    "queue", "jobs", "nodes", "runs", "sweeps", "pipelines", "serves", "schedules"};

std::string dash(const std::string& text) {
  return text.empty() ? "-" : text;
}

Cell state_cell(const Seen& seen) {
  const std::string state = seen.text("state");
  return {dash(state), style_of_state(state)};
}

/// "KIND/NAME", but for a Job only the name.
std::string job_name(const Seen& seen) {
  const std::string kind = seen.text("kind");
  return (kind == "Job" || kind.empty() ? "" : lower(kind) + "/") + seen.text("name");
}

std::string position(const Seen& seen) {
  return seen.row.position > 0 ? std::to_string(seen.row.position) : "-";
}

std::string user(const Seen& seen) {
  return dash(seen.text("user"));
}

/// As in `--gpus`: "a100:8", or "a100:4/8" if the job holds some of them.
std::string gpus(const Seen& seen) {
  const long long all = seen.number("gpus"), held = seen.number("gpusHeld");
  if (all == 0) return "-";
  const std::string type = seen.text("gpuType");
  return (type.empty() ? "" : type + ":") + (held > 0 && held < all ? std::to_string(held) + "/" : "") +
         std::to_string(all);
}

std::string age(const Seen& seen) {
  return since(seen.time("created"), seen.now);
}

/// How long the job has been running or waiting, or ran.
std::string time_in_state(const Seen& seen) {
  if (const auto waiting = seen.time("waitingSince")) return since(waiting, seen.now);
  const auto started = seen.time("started");
  return started ? since(started, seen.time("finished").value_or(seen.now)) : "-";
}

std::string from_now(Time time, Time now) {
  return short_duration(std::max(time - now, nanoseconds(0)));
}

/// Why the job waits or has failed, or where it runs and when it ends.
std::string reason(const Seen& seen) {
  std::vector<std::string> parts;
  const Json& nodes = array_at(seen.data, {"nodes"});
  if (bool_at(seen.data, {"active"}) && !nodes.empty()) {
    std::vector<std::string> names;
    for (const Json& node : nodes)
      if (node.is_string()) names.push_back(node);
    parts.push_back("on " + some_of(names));
  }
  if (const auto end = seen.time("estimatedEnd"))
    parts.push_back("ends ~" + from_now(*end, seen.now));
  else if (const auto limit = seen.time("limit"))
    parts.push_back("ends <" + short_duration_at_most(*limit - seen.now));
  if (const auto next = seen.time("nextAttempt"))
    parts.push_back(job::next_attempt_in_words(next, seen.text("lastFailure"), seen.now));
  else if (const std::string cause = seen.text("cause"); !cause.empty())
    parts.push_back(cause);
  return join(parts, "; ");
}

std::string cause(const Seen& seen) {
  return seen.text("cause");
}

std::string priority(const Seen& seen) {
  return std::to_string(seen.number("priority"));
}

std::string gpus_of_node(const Seen& seen) {
  std::vector<std::string> parts;
  for (const Json& gpu : array_at(seen.data, {"gpus"}))
    parts.push_back(std::to_string(int_at(gpu, {"used"})) + "/" + std::to_string(int_at(gpu, {"total"})) +
                    " " + string_at(gpu, {"type"}));
  return dash(join(parts, ", "));
}

std::string holders(const Seen& seen) {
  std::vector<std::string> names;
  for (const Json& gpu : array_at(seen.data, {"gpus"}))
    for (const auto& [name, count] : object_at(gpu, {"heldBy"}).items())
      names.push_back(name + ": " +
                      (count.is_number_integer() ? std::to_string(count.get<long long>()) : "?"));
  const std::string closed = cause(seen);
  if (!closed.empty()) names.insert(names.begin(), closed);
  return join(names, ", ");
}

std::string memory(const Seen& seen) {
  constexpr double kGib = 1024.0 * 1024 * 1024;
  return fmt::format("{:.0f}Gi", static_cast<double>(seen.number("memory")) / kGib);
}

std::string cpus(const Seen& seen) {
  const Json* cpus = find(seen.data, {"cpus"});
  return cpus && cpus->is_number() ? fmt::format("{:g}", cpus->get<double>()) : "-";
}

std::string value_in_brief(const Json& value) {
  if (value.is_string()) return value;
  return value.is_number_float() ? ui::number_text(value.get<double>()) : json_text(value);
}

std::string metrics(const Seen& seen) {
  std::vector<std::string> parts;
  for (const auto& [name, metric] : object_at(seen.data, {"metrics"}).items())
    if (const Json* last = find(metric, {"last"})) parts.push_back(name + "=" + value_in_brief(*last));
  return dash(join(parts, " "));
}

std::string parameters(const Seen& seen) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : object_at(seen.data, {"parameters"}).items())
    parts.push_back(name + "=" + value_in_brief(value));
  return dash(join(parts, " "));
}

std::string trials(const Seen& seen) {
  return std::to_string(int_at(seen.data, {"trials", "ended"})) + "/" +
         std::to_string(int_at(seen.data, {"trials", "planned"}));
}

std::string best(const Seen& seen) {
  if (const Json* front = find(seen.data, {"front"})) return "front of " + json_text(*front);
  const Json* best = find(seen.data, {"best"});
  return best && best->is_number() ? seen.text("objective") + "=" + value_in_brief(*best) : "-";
}

std::vector<double> numbers(const Json& list) {
  std::vector<double> values;
  for (const Json& value : list)
    if (value.is_number()) values.push_back(value.get<double>());
  return values;
}

std::string history(const Seen& seen) {
  return ui::sparkline(numbers(array_at(seen.data, {"history"})), 16, ui::locale_is_utf8());
}

std::string begun(const Seen& seen) {
  return since(seen.time("began") ? seen.time("began") : seen.time("begun"), seen.now);
}

std::string steps(const Seen& seen) {
  size_t ended = 0, failed = 0;
  const Json& steps = array_at(seen.data, {"steps"});
  std::string running;
  for (const Json& step : steps) {
    const std::string state = string_at(step, {"state"});
    ended += state != "waiting" && state != "running";
    failed += state == "failed";
    if (state == "running") running += (running.empty() ? " " : ",") + string_at(step, {"name"});
  }
  return std::to_string(ended) + "/" + std::to_string(steps.size()) +
         (failed > 0 ? " (" + std::to_string(failed) + " failed)" : "") + running;
}

std::string ready(const Seen& seen) {
  return std::to_string(seen.number("ready")) + "/" + std::to_string(seen.number("replicas"));
}

/// As in `kml schedule list`: the cron expression of a single start would be read as one that recurs.
std::string schedule(const Seen& seen) {
  return seen.text("once").empty() ? dash(seen.text("schedule")) : "once";
}

std::string next_start(const Seen& seen) {
  const auto next = seen.time("next");
  return next ? "in " + from_now(*next, seen.now) : "-";
}

auto field(const char* key) {
  return [key](const Seen& seen) -> Cell { return {dash(seen.text(key))}; };
}

auto cell(std::string (*text)(const Seen&)) {
  return [text](const Seen& seen) -> Cell { return {text(seen)}; };
}

ViewColumn of_namespace() {
  return {"NAMESPACE", 2, field("namespace")};
}

}  // namespace

std::string_view name_of(View view) {
  return kViewNames[static_cast<size_t>(view)];
}

Table table_of(View view) {
  static constexpr std::array kTables = {Table::jobs,   Table::jobs,      Table::nodes,  Table::runs,
                                         Table::sweeps, Table::pipelines, Table::serves, Table::schedules};
  return kTables[static_cast<size_t>(view)];
}

std::optional<View> view_of_word(std::string_view word) {
  std::optional<View> found;
  for (const View view : kAllViews) {
    if (name_of(view) == word) return view;
    if (word.empty() || !name_of(view).starts_with(word)) continue;
    if (found) return {};
    found = view;
  }
  return found;
}

const std::vector<ViewColumn>& view_columns(View view) {
  static const std::array<std::vector<ViewColumn>, kAllViews.size()> kColumns = {{
      {{"POS", 0, cell(position)},
       of_namespace(),
       {"JOB", 0, cell(job_name)},
       {"USER", 4, cell(user)},
       {"PRIORITY", 5, cell(priority)},
       {"GPUS", 3, cell(gpus)},
       {"STATE", 0, state_cell},
       {"TIME", 1, cell(time_in_state)},
       {"REASON", 0, cell(reason)}},
      {of_namespace(),
       {"JOB", 0, cell(job_name)},
       {"USER", 4, cell(user)},
       {"STATE", 0, state_cell},
       {"PODS", 3, field("podCounts")},
       {"GPUS", 3, cell(gpus)},
       {"AGE", 2, cell(age)},
       {"TIME", 1, cell(time_in_state)},
       {"CAUSE", 0, cell(reason)}},
      {{"NODE", 0, field("name")},
       {"STATE", 0, state_cell},
       {"GPUS", 0, cell(gpus_of_node)},
       {"CPUS", 1, cell(cpus)},
       {"MEMORY", 2, cell(memory)},
       {"HELD BY", 0, cell(holders)}},
      {of_namespace(),
       {"RUN", 0, field("name")},
       {"KIND", 4, field("kind")},
       {"STATE", 0, state_cell},
       {"AGE", 1, [](const Seen& seen) -> Cell { return {since(seen.time("time"), seen.now)}; }},
       {"METRICS", 0, cell(metrics)},
       {"PARAMETERS", 3, cell(parameters)},
       {"CAUSE", 0, cell(cause)}},
      {of_namespace(),
       {"SWEEP", 0, field("name")},
       {"STATE", 0, state_cell},
       {"TRIALS", 0, cell(trials)},
       {"BEST", 0, cell(best)},
       {"HISTORY", 3, cell(history)},
       {"AGE", 1, cell(begun)},
       {"ENGINE", 2, field("engine")},
       {"CAUSE", 0, cell(cause)}},
      {of_namespace(),
       {"RUN", 0, field("name")},
       {"PIPELINE", 3, field("pipeline")},
       {"STATE", 0, state_cell},
       {"STEPS", 0, cell(steps)},
       {"AGE", 1, cell(begun)},
       {"ENGINE", 2, field("engine")},
       {"CAUSE", 0, cell(cause)}},
      {of_namespace(),
       {"NAME", 0, field("name")},
       {"READY", 0, cell(ready)},
       {"STATE", 0, state_cell},
       {"AGE", 1, cell(age)},
       {"ADDRESS", 0, field("address")},
       {"CAUSE", 0, cell(cause)}},
      {of_namespace(),
       {"NAME", 0, field("name")},
       {"SCHEDULE", 0, cell(schedule)},
       {"STATE", 0, state_cell},
       {"NEXT", 0, cell(next_start)},
       {"LAST JOB", 1, field("lastJob")},
       {"RESULT", 2, field("result")},
       {"CAUSE", 0, cell(cause)}},
  }};
  return kColumns[static_cast<size_t>(view)];
}

Style style_of_state(std::string_view state) {
  static constexpr std::pair<std::string_view, Style> kStyles[] = {
      {"Running", Style::green},   {"Waiting", Style::yellow},    {"Failed", Style::red},
      {"Succeeded", Style::plain}, {"Cancelled", Style::dim},     {"Suspended", Style::dim},
      {"ready", Style::green},     {"not ready", Style::red},     {"cordoned", Style::yellow},
      {"running", Style::green},   {"failed", Style::red},        {"Starting", Style::yellow},
      {"Updating", Style::yellow}, {"unreadable", Style::red},    {"interrupted", Style::red},
      {"paused", Style::yellow},   {"Cancelling", Style::yellow}, {"Crashing", Style::red}};
  for (const auto& [name, style] : kStyles)
    if (name == state) return style;
  return Style::plain;
}

std::string since(std::optional<Time> time, Time now) {
  return time ? short_duration(std::max(now - *time, nanoseconds(0))) : "-";
}

}  // namespace kml::live
