#include "local/shim/process_tree.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kml/base/files.h"
#include "kml/base/text.h"

namespace kml::local {

namespace {

struct Process {
  pid_t pid = 0, parent = 0, session = 0;
  bool is_zombie = false;
  int64_t threads = 1;
};

/// Reads the fields 3, 4, 6 and 20 of /proc/PID/stat. Field 2 may contain spaces and parentheses.
std::optional<Process> read_process(const std::string& pid) {
  Fd fd(::open(("/proc/" + pid + "/stat").c_str(), O_RDONLY | O_CLOEXEC));
  char text[512] = {};
  if (!fd || ::read(fd.get(), text, sizeof text - 1) <= 0) return {};
  const std::string line = text;
  const size_t name_end = line.rfind(')');
  if (name_end == std::string::npos || name_end + 4 > line.size()) return {};
  const std::vector<std::string> fields = split(line.substr(name_end + 2), ' ');
  constexpr size_t kParent = 4 - 3, kSession = 6 - 3, kThreads = 20 - 3;
  if (fields.size() <= kThreads) return {};
  return Process{std::atoi(pid.c_str()), std::atoi(fields[kParent].c_str()),
                 std::atoi(fields[kSession].c_str()), fields[0] == "Z", std::atoll(fields[kThreads].c_str())};
}

/// The descendants of this process, except the spared children and their descendants.
std::vector<Process> descendants(const std::set<pid_t>& spared) {
  std::multimap<pid_t, Process> by_parent;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const std::string name = entry.path().filename();
    if (!is_digit(name[0])) continue;
    if (const auto process = read_process(name); process && !spared.contains(process->pid))
      by_parent.emplace(process->parent, *process);
  }
  std::vector<Process> found;
  std::vector<pid_t> parents{::getpid()};
  while (!parents.empty()) {
    const auto [begin, end] = by_parent.equal_range(parents.back());
    parents.pop_back();
    for (auto it = begin; it != end; ++it) {
      found.push_back(it->second);
      parents.push_back(it->second.pid);
    }
  }
  return found;
}

/// Stops all processes before any is killed. A stopped process cannot fork. Otherwise each killed process
/// would make room for another fork, and programs that fork endlessly could never be killed completely.
std::set<pid_t> stop_all(const std::set<pid_t>& spared) {
  std::set<pid_t> stopped;
  for (bool found_new = true; found_new;) {
    found_new = false;
    for (const Process& process : descendants(spared))
      if (!process.is_zombie && stopped.insert(process.pid).second) {
        ::kill(process.pid, SIGSTOP);
        found_new = true;
      }
  }
  return stopped;
}

}  // namespace

void kill_descendants_except(const std::set<pid_t>& spared) {
  for (;;) {
    for (pid_t pid : stop_all(spared)) ::kill(pid, SIGKILL);
    const std::vector<Process> left = descendants(spared);
    if (left.empty()) return;
    // The children of a killed process become children of this process.
    for (const Process& process : left)
      if (process.is_zombie && process.parent == ::getpid()) ::waitpid(process.pid, nullptr, WNOHANG);
    ::usleep(500);
  }
}

void kill_session(pid_t leader) {
  // Stops all processes before any is killed. Otherwise each killed process would make room for another fork.
  std::set<pid_t> stopped;
  for (bool found_new = true; found_new;) {
    found_new = false;
    for (const Process& process : descendants({}))
      if (process.session == leader && !process.is_zombie && stopped.insert(process.pid).second) {
        ::kill(process.pid, SIGSTOP);
        found_new = true;
      }
  }
  for (pid_t pid : stopped) ::kill(pid, SIGKILL);
}

int64_t count_descendants() {
  int64_t count = 0;
  for (const Process& process : descendants({})) count += process.threads;
  return count;
}

int64_t count_all_threads() {
  // proc_loadavg(5): in "0.20 0.18 0.12 1/80 11206", the number of threads is 80.
  const std::string text = read_file_if_exists("/proc/loadavg").value_or("");
  const size_t slash = text.find('/');
  return slash == std::string::npos ? 0 : std::atoll(text.c_str() + slash + 1);
}

void kill_all_descendants() {
  if (::getpid() != 1) {
    if (::waitpid(-1, nullptr, WNOHANG) >= 0 || errno != ECHILD) kill_descendants_except({});
    return;
  }
  do ::kill(-1, SIGKILL);
  while (::waitpid(-1, nullptr, 0) >= 0 || errno != ECHILD);
}

}  // namespace kml::local
