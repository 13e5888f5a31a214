#include "local/usage/process_usage.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "kml/base/text.h"
#include "local/shim/pod_cgroup.h"

namespace kml::local {

namespace {

double seconds(const std::string& ticks) {
  static const double per_second = static_cast<double>(::sysconf(_SC_CLK_TCK));
  return static_cast<double>(std::atoll(ticks.c_str())) / per_second;
}

/// The value in a line such as "Pss: 1234 kB" of a /proc file, in bytes; 0 if there is no such line.
int64_t kilobytes(const std::string& text, std::string_view name) {
  const size_t at = text.find(name);
  return at == std::string::npos ? 0 : 1024 * std::atoll(text.c_str() + at + name.size());
}

}  // namespace

/// proc_pid_stat(5), with fields numbered from 1: 4 is the parent, 14 to 17 are the times, and 24 is the
/// number of resident pages. Field 2 may contain blanks and parentheses.
ProcessTable::ProcessTable() {
  constexpr size_t kParent = 4 - 3, kUser = 14 - 3, kResident = 24 - 3;
  const int64_t page = ::sysconf(_SC_PAGESIZE);
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const pid_t pid = std::atoi(entry.path().filename().c_str());
    if (pid <= 0) continue;
    const std::string line = read_kernel_file(entry.path() / "stat");
    const size_t name_end = line.rfind(')');
    if (name_end == std::string::npos) continue;
    const std::vector<std::string> fields =
        split(std::string_view(line).substr(std::min(name_end + 2, line.size())), ' ');
    if (fields.size() <= kResident) continue;
    const Process process{std::atoi(fields[kParent].c_str()),
                          seconds(fields[kUser]) + seconds(fields[kUser + 1]),
                          seconds(fields[kUser + 2]) + seconds(fields[kUser + 3]),
                          page * std::atoll(fields[kResident].c_str())};
    processes_.emplace(pid, process);
    children_.emplace(process.parent, pid);
  }
}

bool ProcessTable::is_child(pid_t child, pid_t parent) const {
  const auto found = processes_.find(child);
  return found != processes_.end() && found->second.parent == parent;
}

void ProcessTable::add(pid_t pid, ProcessUsage& sum) const {
  const Process& process = processes_.at(pid);
  sum.cpu_seconds += process.own_seconds + process.waited_seconds;
  const std::filesystem::path folder = "/proc/" + std::to_string(pid);
  // Memory that several processes share is divided among them.
  const int64_t proportional = kilobytes(read_kernel_file(folder / "smaps_rollup"), "\nPss:");
  sum.memory += proportional > 0 ? proportional : process.resident;
  sum.peak_process = std::max(
      {sum.peak_process, process.resident, kilobytes(read_kernel_file(folder / "status"), "\nVmHWM:")});
  const auto [begin, end] = children_.equal_range(pid);
  for (auto child = begin; child != end; ++child) add(child->second, sum);
}

ProcessUsage ProcessTable::below(pid_t pid) const {
  ProcessUsage sum;
  const auto found = processes_.find(pid);
  if (found == processes_.end()) return sum;
  sum.cpu_seconds = found->second.waited_seconds;
  const auto [begin, end] = children_.equal_range(pid);
  for (auto child = begin; child != end; ++child) add(child->second, sum);
  return sum;
}

/// proc_stat(5): "cpu user nice system idle iowait irq softirq steal …".
ProcessUsage machine_usage() {
  ProcessUsage usage;
  const std::string stat = read_kernel_file("/proc/stat");
  std::vector<std::string> fields = split(std::string_view(stat).substr(0, stat.find('\n')), ' ');
  std::erase(fields, "");
  for (size_t i : {1, 2, 3, 6, 7})
    if (i < fields.size()) usage.cpu_seconds += seconds(fields[i]);
  const std::string memory = read_kernel_file("/proc/meminfo");
  usage.memory = kilobytes(memory, "MemTotal:") - kilobytes(memory, "MemAvailable:");
  return usage;
}

}  // namespace kml::local
