#include <algorithm>
#include <optional>

#include "kml/base/json.h"
#include "kml/base/text.h"
#include "pod/hang/probe.h"

namespace kml::pod {

namespace {

Frame frame_of(const Json& json) {
  return {string_at(json, {"name"}), string_at(json, {"filename"}), static_cast<int>(int_at(json, {"line"}))};
}

Waitable waitable_of(const Json& json) {
  Waitable found{.name = string_at(json, {"name"}), .is_shared = bool_at(json, {"shared"})};
  for (const Json& key : array_at(json, {"keys"}))
    if (key.is_string()) found.keys.push_back(key.get<std::string>());
  return found;
}

Thread thread_of(const Json& json) {
  Thread thread{.id = int_at(json, {"os_thread_id"}, -1),
                .name = string_at(json, {"thread_name"}),
                .is_idle = !bool_at(json, {"active"})};
  for (const Json& frame : array_at(json, {"frames"})) thread.frames.push_back(frame_of(frame));
  for (const Json& held : array_at(json, {"holds"})) thread.holds.push_back(waitable_of(held));
  thread.waits = waitable_of(object_at(json, {"waits"}));
  thread.waits_at = frame_of(object_at(json, {"waits_at"}));
  return thread;
}

/// `    first (dl.py:9)`.
std::optional<Frame> frame_in(std::string_view line) {
  const size_t open = line.rfind('('), colon = line.rfind(':');
  if (!line.ends_with(')') || open == std::string_view::npos || colon == std::string_view::npos ||
      colon < open)
    return {};
  const auto number = whole_number(line.substr(colon + 1, line.size() - colon - 2));
  if (!number) return {};
  return Frame{std::string(trim(line.substr(0, open))), std::string(line.substr(open + 1, colon - open - 1)),
               *number};
}

/// Parses `Thread 20132 (idle): "Thread-1 (first)"`.
std::optional<Thread> thread_in(std::string_view line) {
  if (!line.starts_with("Thread ")) return {};
  line.remove_prefix(7);
  const std::string_view id = line.substr(0, line.find(' '));
  const size_t quote = line.find(": \"");
  Thread thread{.id = whole_number(id).value_or(-1), .is_idle = contains(line, "(idle")};
  if (quote != std::string_view::npos && line.ends_with('"') && line.size() > quote + 3)
    thread.name = line.substr(quote + 3, line.size() - quote - 4);
  return thread;
}

std::vector<Thread> threads_in_text(std::string_view dump) {
  std::vector<Thread> threads;
  for (const std::string& line : split(dump, '\n')) {
    if (const auto thread = thread_in(line))
      threads.push_back(*thread);
    else if (const auto frame = frame_in(line); frame && line.starts_with("    ") && !threads.empty())
      threads.back().frames.push_back(*frame);
  }
  return threads;
}

std::vector<Thread> threads_in_json(std::string_view dump) {
  std::vector<Thread> threads;
  const size_t begin = dump.find('[');  // warnings may come before the list
  if (begin == std::string_view::npos) return threads;
  const Json json = Json::parse(dump.substr(begin), nullptr, false);
  if (!json.is_array()) return threads;
  for (const Json& thread : json)
    if (thread.is_object()) threads.push_back(thread_of(thread));
  return threads;
}

}  // namespace

/// Before Python has imported `threading`, the main thread has no name. On Linux, its number is the
/// process's.
Stack parse_stack(int pid, std::string_view dump) {
  Stack stack{pid, threads_in_json(dump)};
  if (stack.threads.empty()) stack.threads = threads_in_text(dump);
  std::erase_if(stack.threads, [](const Thread& thread) { return thread.frames.empty(); });
  const auto is_main = [&](const Thread& thread) {
    return thread.name == "MainThread" || thread.id == pid || stack.threads.size() == 1;
  };
  const auto main = std::find_if(stack.threads.begin(), stack.threads.end(), is_main);
  if (main == stack.threads.end()) return stack;
  main->is_main = true;
  std::rotate(stack.threads.begin(), main, main + 1);
  return stack;
}

}  // namespace kml::pod
