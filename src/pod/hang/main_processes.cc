#include <algorithm>
#include <array>
#include <map>

#include "kml/base/text.h"
#include "pod/hang/rank_state.h"

namespace kml::pod {

namespace {

template <size_t N>
bool names_any(const std::string& text, const std::array<std::string_view, N>& words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return contains(text, word); });
}

/// Whether the process starts ranks and waits for them. Most launchers wait by polling.
bool is_launcher(const Process& process) {
  constexpr std::array<std::string_view, 9> kLaunchers = {"torchrun",
                                                          "torch.distributed.run",
                                                          "torch.distributed.launch",
                                                          "deepspeed",
                                                          "accelerate launch",
                                                          "accelerate-la",
                                                          "mpirun",
                                                          "horovodrun",
                                                          "orted"};
  constexpr std::array<std::string_view, 5> kInits = {"tini", "dumb-init", "s6-svscan", "catatonit", "pause"};
  return names_any(process.command, kLaunchers) ||
         std::find(kInits.begin(), kInits.end(), process.name) != kInits.end();
}

/// Whether the process only passes on the output of another process.
bool is_filter(const Process& process) {
  constexpr std::array<std::string_view, 5> kFilters = {"tee", "ts", "sed", "grep", "awk"};
  return std::find(kFilters.begin(), kFilters.end(), process.name) != kFilters.end();
}

bool waits_for_child(const Process& process) {
  // In a shell, `wait` calls sigsuspend().
  return process.wait == "do_wait" || contains(process.wait, "sigsuspend") || process.call == "wait4" ||
         process.call == "waitid";
}

bool is_python(const Process& process) {
  return process.name.starts_with("python") || process.name.starts_with("pt_main") ||
         contains(process.command.substr(0, process.command.find(' ')), "python");
}

}  // namespace

std::vector<const Process*> main_processes(const std::vector<Process>& processes) {
  std::map<int, const Process*> by_pid;
  std::map<int, int> children;
  for (const Process& process : processes) {
    by_pid[process.pid] = &process;
    ++children[process.parent];
  }
  const auto depth = [&](const Process& process) {
    int above = 0;
    for (auto at = by_pid.find(process.parent); at != by_pid.end() && above < 100;
         at = by_pid.find(at->second->parent))
      ++above;
    return above;
  };
  std::vector<const Process*> found;
  // the preferred process: a Python program, as near to the root as possible
  std::pair<bool, int> best{true, 1000};
  for (const Process& process : processes) {
    const bool is_parent = children.contains(process.pid);
    if (is_filter(process) || (is_parent && (waits_for_child(process) || is_launcher(process)))) continue;
    const std::pair<bool, int> rank{!is_python(process), depth(process)};
    if (rank < best) found.clear(), best = rank;
    if (rank == best) found.push_back(&process);
  }
  return found;
}

}  // namespace kml::pod
