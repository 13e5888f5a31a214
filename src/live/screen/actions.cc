#include "live/screen/actions.h"

#include <algorithm>
#include <map>

#include "kml/base/text.h"

namespace kml::live {

namespace {

using How = Action::How;
using Words = std::vector<std::string>;

/// The commands of a key, by view. "NAME" stands for the row.
using ByView = std::map<View, Words>;

const std::map<std::string_view, ByView>& commands_by_key() {
  static const std::map<std::string_view, ByView> kCommands = {
      {"l",
       {{View::jobs, {"logs", "-f", "NAME"}},
        {View::sweeps, {"sweep", "logs", "NAME"}},
        {View::pipelines, {"run", "logs", "-f", "NAME"}},
        {View::serves, {"serve", "logs", "-f", "NAME"}}}},
      {"w",
       {{View::jobs, {"why", "NAME"}},
        {View::pipelines, {"why", "NAME"}},
        {View::serves, {"why", "NAME"}},
        {View::schedules, {"why", "NAME"}}}},
      {"i", {{View::jobs, {"status", "--events", "NAME"}}}},
      {"a", {{View::jobs, {"history", "NAME"}}}},
      {"s", {{View::jobs, {"shell", "NAME"}}}},
      {"p", {{View::jobs, {"port", "NAME"}}}},
      {"c",
       {{View::jobs, {"cancel", "NAME"}},
        {View::sweeps, {"sweep", "stop", "NAME"}},
        {View::pipelines, {"run", "stop", "NAME"}},
        {View::serves, {"serve", "stop", "NAME"}},
        {View::schedules, {"schedule", "pause", "NAME"}}}},
      {"r",
       {{View::jobs, {"rerun", "NAME"}},
        {View::sweeps, {"sweep", "resume", "--detach", "NAME"}},
        {View::pipelines, {"run", "resume", "--detach", "NAME"}},
        {View::schedules, {"schedule", "run-now", "NAME"}}}}};
  return kCommands;
}

/// Whether a job, sweep or run has ended, so that nothing of it can be cancelled or entered.
bool has_row_ended(View acted, const Json& row) {
  static const Words kEndsOfJobs = {"Succeeded", "Failed", "Cancelled"};
  const std::string state = string_at(row, {"state"});
  if (acted == View::jobs) return std::ranges::find(kEndsOfJobs, state) != kEndsOfJobs.end();
  if (acted == View::sweeps) return state == "Ended";
  return acted == View::pipelines && !string_at(row, {"ended"}, string_at(row, {"finished"})).empty();
}

/// The keys of commands for what is active: cancel, shell and port.
bool needs_active_row(std::string_view key) {
  return key == "c" || key == "s" || key == "p";
}

/// Adapts a key's command to the state of the row: for a paused schedule, the key for "pause" resumes it.
Words suited_to(Words words, const Json& row) {
  if (words[0] == "schedule" && words[1] == "pause" && string_at(row, {"state"}) == "paused")
    words[1] = "resume";
  // An engine in the cluster is always detached.
  if (string_at(row, {"engine"}) == "in the cluster") std::erase(words, "--detach");
  return words;
}

Words with_name(Words words, const std::string& name) {
  for (std::string& word : words)
    if (word == "NAME") word = name;
  return words;
}

/// Runs are submits, sweeps or pipelines; a submit's job may still exist.
View view_of_run(const Json& row) {
  const std::string kind = string_at(row, {"kind"});
  return kind == "sweep" ? View::sweeps : kind == "pipeline" ? View::pipelines : View::jobs;
}

View acted_on(View view, const Json& row) {
  return view == View::queue ? View::jobs : view == View::runs ? view_of_run(row) : view;
}

void add_lines(const std::string& prefix, const Json& value, std::string& text) {
  for (const auto& [key, member] : value.items()) {
    const std::string name = prefix.empty() ? key : prefix + "." + key;
    const bool is_list_of_objects = member.is_array() && !member.empty() && member.front().is_object();
    if (member.is_object() || is_list_of_objects)
      add_lines(name, member, text);
    else
      text += name + ": " + (member.is_string() ? member.get<std::string>() : json_text(member)) + "\n";
  }
}

}  // namespace

const std::vector<Action>& all_actions() {
  static const std::vector<Action> kActions = {{"l", "logs"},
                                               {"w", "why"},
                                               {"i", "status"},
                                               {"a", "attempts"},
                                               {"s", "shell", How::in_front},
                                               {"p", "port", How::with_port},
                                               {"c", "cancel", How::ask},
                                               {"r", "rerun", How::ask}};
  return kActions;
}

std::string job_argument(const Json& row) {
  const std::string kind = string_at(row, {"kind"}), name = string_at(row, {"name"});
  return kind.empty() || kind == "Job" || kind == "job" ? name : lower(kind) + "/" + name;
}

Words words_of(const Action& action, View view, const Json& row) {
  if (string_at(row, {"kind"}) == "Pod") return {};
  const View acted = acted_on(view, row);
  const ByView& by_view = commands_by_key().at(action.key);
  const auto found = by_view.find(acted);
  if (found == by_view.end() || (needs_active_row(action.key) && has_row_ended(acted, row))) return {};
  return with_name(suited_to(found->second, row),
                   acted == View::jobs ? job_argument(row) : string_at(row, {"name"}));
}

std::string name_of(const Action& action, const Words& words) {
  static const Words kGroups = {"sweep", "run", "serve", "schedule"};
  return std::ranges::find(kGroups, words[0]) == kGroups.end() ? std::string(action.verb) : words[1];
}

Words words_of_details(View view, const Json& row) {
  const std::string name = string_at(row, {"name"});
  switch (acted_on(view, row)) {
    case View::sweeps: return {"sweep", "status", name};
    case View::pipelines: return {"run", "status", name};
    case View::serves: return {"serve", "status", name};
    case View::schedules: return {"why", name};
    default: return {};
  }
}

Words words_of(View view) {
  switch (view) {
    case View::queue: return {"queue"};
    case View::jobs: return {"list"};
    case View::nodes: return {"top", "nodes"};
    case View::runs: return {"runs"};
    case View::sweeps: return {"sweep", "list"};
    case View::pipelines: return {"run", "list"};
    case View::serves: return {"serve", "list"};
    case View::schedules: return {"schedule", "list"};
  }
  return {};
}

bool takes_all_namespaces(View view) {
  return view == View::queue || view == View::jobs || view == View::serves || view == View::schedules;
}

std::string text_of_row(const Json& row) {
  std::string text;
  add_lines("", row, text);
  return text;
}

}  // namespace kml::live
