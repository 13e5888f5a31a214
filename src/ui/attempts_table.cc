#include "kml/ui/attempts_table.h"

#include <functional>

#include "kml/core/text.h"
#include "kml/ui/table.h"

namespace kml::ui {

namespace {

using Text = std::function<std::string(const jobs::Attempt&)>;

/// "0-639"; "640-" of one that goes on, or did not say where it ended.
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
    if (!attempt.node.empty()) item["node"] = attempt.node;
    if (attempt.start) item["start"] = rfc3339(*attempt.start);
    if (attempt.end) item["end"] = rfc3339(*attempt.end);
    if (attempt.exit_code) item["exitCode"] = *attempt.exit_code;
    if (attempt.first_step) item["firstStep"] = *attempt.first_step;
    if (attempt.last_step) item["lastStep"] = *attempt.last_step;
    if (attempt.preempted)
      item["preemptedBy"] = attempt.preempted_by.empty() ? "unknown" : attempt.preempted_by;
    items.push_back(std::move(item));
  }
  return items;
}

}  // namespace kml::ui
