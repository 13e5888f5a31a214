#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <map>
#include <set>
#include <utility>

#include "kml/base/error.h"
#include "kml/base/json.h"
#include "kml/base/text.h"
#include "pod/hang/flight_record.h"
#include "pod/hang/probe.h"

namespace kml::pod {

namespace {

/// The unit of times in /proc (USER_HZ, which is the same on all architectures that Linux supports now).
constexpr double kTicksPerSecond = 100;

/// In seconds. If an image has no `sleep`, almost no time passes between the samples.
constexpr double kLeastBetween = 0.5;

long long number_at_begin(std::string_view text) {
  long long number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// Removes the first word and returns it.
std::string_view next_word(std::string_view& line) {
  const size_t end = std::min(line.find(' '), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return word;
}

/// A process in one sample.
struct Seen {
  char state = 0;
  int parent = 0;
  std::string name = {}, wait = {}, call = {}, disk_wait = {};
  long long ticks = 0, read = 0, written = 0, read_disk = 0, written_disk = 0;
};

/// Whether the call's first argument is a file descriptor.
bool is_of_file(const std::string& call) {
  constexpr std::array<std::string_view, 7> kOthers = {"nanosleep", "futex", "poll", "select",
                                                       "wait",      "pause", "open"};
  return !call.empty() && std::none_of(kOthers.begin(), kOthers.end(),
                                       [&](std::string_view other) { return contains(call, other); });
}

class Reader {
 public:
  Probe read(std::string_view output);

 private:
  void take(std::string_view line);
  void take_process(std::string_view line);
  void take_wait(std::string_view line);
  void take_io(std::string_view line);
  void take_stack(std::string_view line);
  void take_flight(std::string_view line, std::string_view& rest);
  void add_processes();
  bool is_of_container(int pid) const;
  std::string text_of(const std::map<int, std::string>& texts, int pid) const {
    const auto found = texts.find(pid);
    return found == texts.end() ? std::string() : found->second;
  }

  Probe probe_;
  int self_ = 0, self_parent_ = 0;
  std::string architecture_;
  double up_ = 0, up_before_ = 0;
  int looks_ = 0;
  std::map<int, Seen> before_, now_;
  std::map<int, std::string> files_, commands_;
  std::multimap<int, std::string> holders_;  ///< of RAS's sockets: "socket:[7]"
  int stack_of_ = 0;                         ///< the process whose stack is being printed
  std::string stack_;
};

/// Parses "7 (python) S 1 …". The name may contain any character, including a parenthesis.
void Reader::take_process(std::string_view line) {
  const size_t begin = line.find('('), end = line.rfind(')');
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) return;
  Seen& seen = now_[static_cast<int>(number_at_begin(line))];
  seen.name = line.substr(begin + 1, end - begin - 1);
  const std::vector<std::string> fields = split(trim(line.substr(end + 1)), ' ');
  if (fields.size() < 15 || fields[0].empty()) return;
  seen.state = fields[0][0];
  seen.parent = static_cast<int>(number_at_begin(fields[1]));
  // The processor time of the process, and of its children that have ended.
  for (size_t i = 11; i <= 14; ++i) seen.ticks += number_at_begin(fields[i]);
}

void Reader::take_wait(std::string_view line) {
  Seen& seen = now_[static_cast<int>(number_at_begin(next_word(line)))];
  const std::string_view wait = next_word(line);
  if (wait != "0") seen.wait = wait;
  const std::string_view number = next_word(line);
  seen.call = call_name(architecture_, number);
  // Before version 3.11, Python sleeps by calling select() without descriptors.
  if (contains(seen.call, "select") && line == "0x0") seen.call = "nanosleep", seen.wait.clear();
}

void Reader::take_io(std::string_view line) {
  Seen& seen = now_[static_cast<int>(number_at_begin(next_word(line)))];
  const std::string_view key = next_word(line);
  const long long value = number_at_begin(line);
  if (key == "rchar:") seen.read = value;
  if (key == "wchar:") seen.written = value;
  if (key == "read_bytes:") seen.read_disk = value;
  if (key == "write_bytes:") seen.written_disk = value;
}

void Reader::take_stack(std::string_view line) {
  if (line != "S end") {
    stack_.append(line).append("\n");
    return;
  }
  Stack stack = parse_stack(stack_of_, stack_);
  if (!stack.threads.empty())
    (looks_ < 2 ? probe_.earlier_stacks : probe_.stacks).push_back(std::move(stack));
  else if (probe_.stacks_unseen.empty())
    probe_.stacks_unseen = "py-spy: " + std::string(trim(stack_.substr(0, stack_.find('\n'))));
  stack_of_ = 0;
  stack_.clear();
}

void Reader::take(std::string_view line) {
  if (stack_of_ != 0) return take_stack(line);
  const std::string_view word = next_word(line);
  const auto pid_and_text = [&](std::map<int, std::string>& texts) {
    const int pid = static_cast<int>(number_at_begin(next_word(line)));
    texts[pid] = trim(line);
  };
  if (word == "self") {
    self_ = static_cast<int>(number_at_begin(next_word(line)));
    self_parent_ = static_cast<int>(number_at_begin(next_word(line)));
    architecture_ = line;
  } else if (word == "look") {
    if (looks_++ > 0) before_ = std::exchange(now_, {}), up_before_ = up_;
    std::from_chars(line.data(), line.data() + line.size(), up_);
  } else if (word == "end") {
    probe_.is_whole = up_ - up_before_ > kLeastBetween;
  } else if (word == "P") {
    take_process(line);
  } else if (word == "W") {
    take_wait(line);
  } else if (word == "I") {
    take_io(line);
  } else if (word == "D") {
    Seen& seen = now_[static_cast<int>(number_at_begin(next_word(line)))];
    seen.disk_wait = line == "0" ? "disk" : line;
  } else if (word == "G") {
    if (const auto use = whole_number(trim(line)))
      probe_.gpu_use = std::max(probe_.gpu_use.value_or(0), *use);
  } else if (word == "L") {
    probe_.ras_sockets.push_back("socket:[" + std::string(line) + "]");
  } else if (word == "O") {
    const int pid = static_cast<int>(number_at_begin(next_word(line)));
    holders_.emplace(pid, line);
  } else if (word == "K") {
    const int pid = static_cast<int>(number_at_begin(next_word(line)));
    probe_.file_waits.push_back({pid, static_cast<int>(number_at_begin(line))});
  } else if (word == "F") {
    pid_and_text(files_);
  } else if (word == "C") {
    pid_and_text(commands_);
  } else if (word == "N" || word == "S") {
    const int pid = static_cast<int>(number_at_begin(line));
    if (!is_of_container(pid)) return;
    probe_.has_python = true;
    if (word == "S")
      stack_of_ = pid;
    else
      probe_.stacks_unseen = "the image has no py-spy; with --py-spy FILE, kml copies py-spy to the pod";
  }
}

/// Whether the process belongs to the container. A process that a runtime starts by exec has no parent inside
/// the container. On the embedded server, the container's keeper is the parent of its processes, and without
/// a separate namespace, /proc also shows the machine's processes.
bool Reader::is_of_container(int pid) const {
  if (pid == self_parent_) return false;
  for (int steps = 0; pid != 0 && steps < 1000; ++steps) {
    if (pid == self_) return false;
    if (pid == self_parent_) return true;
    const auto seen = now_.find(pid);
    if (seen == now_.end()) break;
    pid = seen->second.parent;
  }
  return self_parent_ == 0;
}

void Reader::add_processes() {
  const double seconds = up_ - up_before_;
  for (const auto& [pid, seen] : now_) {
    if (seen.state == 0 || !is_of_container(pid)) continue;
    Process process{.pid = pid,
                    .parent = seen.parent,
                    .name = seen.name,
                    .command = text_of(commands_, pid),
                    .state = seen.state,
                    .wait = seen.wait,
                    .call = seen.call,
                    .file = is_of_file(seen.call) ? text_of(files_, pid) : ""};
    const auto before = before_.find(pid);
    // A process that started between the samples has done all its work between them.
    const Seen earlier = before == before_.end() ? Seen{} : before->second;
    process.state_before = earlier.state;
    process.cpu = static_cast<double>(seen.ticks - earlier.ticks) / kTicksPerSecond / seconds;
    // Depending on the file system, bytes are only counted by rchar and wchar, or only by read_bytes and
    // write_bytes.
    process.read = std::max(seen.read - earlier.read, seen.read_disk - earlier.read_disk);
    process.written = std::max(seen.written - earlier.written, seen.written_disk - earlier.written_disk);
    if (!earlier.disk_wait.empty()) process.disk_wait = seen.disk_wait;
    probe_.processes.push_back(std::move(process));
  }
}

/// Parses "T SIZE AGE RANK", which comes before the bytes of a flight recorder's file. Removes those bytes
/// from `rest`.
void Reader::take_flight(std::string_view line, std::string_view& rest) {
  const auto size = static_cast<size_t>(std::max(0LL, number_at_begin(next_word(line))));
  const std::chrono::seconds age(number_at_begin(next_word(line)));
  const std::string_view bytes = rest.substr(0, size);
  rest.remove_prefix(bytes.size());
  try {
    if (size == 0 || bytes.size() < size)
      throw Error(ErrorCode::failure, "cannot read it",
                  size == 0 ? "it is empty, or too large" : "it is cut off");
    FlightRecord record = parse_flight_record(bytes);
    record.rank = whole_number(line);
    record.age = age;
    probe_.flights.push_back(std::move(record));
  } catch (const Error& error) {
    probe_.flights_unseen = error.why;
  }
}

Probe Reader::read(std::string_view output) {
  while (!output.empty()) {
    const size_t end = std::min(output.find('\n'), output.size());
    const std::string_view line = output.substr(0, end);
    output.remove_prefix(std::min(end + 1, output.size()));
    if (stack_of_ == 0 && line.starts_with("T "))
      take_flight(line.substr(2), output);
    else
      take(line);
  }
  if (probe_.is_whole) add_processes();
  std::erase_if(probe_.file_waits, [&](const FileWait& wait) {
    return !is_of_container(wait.pid) || !is_of_container(wait.holder);
  });
  for (const auto& [pid, socket] : holders_)
    if (is_of_container(pid)) probe_.own_sockets.push_back(socket);
  return std::move(probe_);
}

}  // namespace

Probe parse_probe(std::string_view output) {
  return Reader().read(output);
}

}  // namespace kml::pod
