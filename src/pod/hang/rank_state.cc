#include "pod/hang/rank_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "kml/base/text.h"

namespace kml::pod {

namespace {

/// A thread that uses a smaller share of a processor than this only watches: NCCL's watchdog, loggers,
/// heartbeats.
constexpr double kBusy = 0.05;
constexpr long long kBusyBytes = 64 << 10;

template <size_t N>
bool contains_any(std::string_view text, const std::array<std::string_view, N>& parts) {
  return std::any_of(parts.begin(), parts.end(), [&](std::string_view part) { return contains(text, part); });
}

bool is_of_disk(std::string_view wait) {
  constexpr std::array<std::string_view, 8> kParts = {"nfs",    "rpc_wait",    "fuse",       "ceph",
                                                      "lustre", "io_schedule", "folio_wait", "bit_wait_io"};
  return contains_any(wait, kParts);
}

/// A process with all its descendants.
struct Tree {
  double cpu = 0;
  long long read = 0, written = 0;
  bool has_compiler = false;
  bool wants_processor = false;      ///< true, too, if a busy machine gives the rank little time
  const Process* at_disk = nullptr;  ///< a process that waits for a disk

  Tree(const Process& process, const std::vector<Process>& all) {
    std::set<int> members = {process.pid};
    for (bool grows = true; std::exchange(grows, false);)
      for (const Process& other : all)
        if (members.contains(other.parent) && members.insert(other.pid).second) grows = true;
    for (const Process& other : all)
      if (members.contains(other.pid)) add(other);
  }
  bool is_busy() const { return wants_processor || cpu >= kBusy || read + written >= kBusyBytes; }

 private:
  void add(const Process& process) {
    constexpr std::array<std::string_view, 9> kCompilers = {"nvcc",   "cicc",  "ptxas", "cc1plus", "ninja",
                                                            "cudafe", "clang", "gcc",   "g++"};
    cpu += process.cpu;
    read += process.read;
    written += process.written;
    has_compiler |= contains_any(process.name, kCompilers);
    if (process.state == 'D' || is_of_disk(process.wait)) at_disk = &process;
    wants_processor |= process.state == 'R' && process.state_before == 'R';
  }
};

bool is_read(const std::string& call) {
  constexpr std::array<std::string_view, 4> kReads = {"read", "readv", "pread64", "preadv"};
  return std::find(kReads.begin(), kReads.end(), call) != kReads.end();
}

/// Judges by the system call and the kernel function of the main thread.
Doing waits_for(const Process& process) {
  const std::string &wait = process.wait, &call = process.call;
  if (process.state == 'D' || is_of_disk(wait)) return Doing::input;
  const bool is_anonymous = process.file.starts_with("anon_inode:");
  if (is_read(call) && !process.file.empty() && !is_anonymous)
    return process.file.starts_with("socket:") ? Doing::network : Doing::input;
  constexpr std::array<std::string_view, 4> kInput = {"pipe_read", "wait_for_partner", "fifo_open",
                                                      "lock_inode_wait"};
  if (contains_any(wait, kInput) || call == "openat" || call == "open" || call == "flock")
    return Doing::input;
  constexpr std::array<std::string_view, 2> kWriting = {"fsync", "fdatasync"};
  if (std::find(kWriting.begin(), kWriting.end(), call) != kWriting.end()) return Doing::input;
  if (contains(wait, "nanosleep") || contains(call, "nanosleep") || call == "pause") return Doing::asleep;
  constexpr std::array<std::string_view, 9> kNetwork = {"recv",   "accept", "connect", "send",      "poll",
                                                        "select", "epoll",  "sk_wait", "wait_woken"};
  if (contains_any(call, kNetwork) || contains_any(wait, kNetwork) || contains(wait, "unix_stream"))
    return Doing::network;
  if (contains(wait, "futex") || contains(call, "futex") || contains(wait, "do_wait") ||
      contains(call, "wait"))
    return Doing::waits;
  return process.disk_wait.empty() ? Doing::unknown : Doing::input;
}

/// "read /data/shard-3, pipe_read".
std::string wait_text(const Process& process) {
  std::vector<std::string> parts = {process.call + (process.file.empty() ? "" : " " + process.file),
                                    process.wait.empty() ? process.disk_wait : process.wait};
  std::erase(parts, "");
  return join(parts, ", ");
}

std::string use_of(const Tree& tree) {
  std::string text = fmt::format("CPU {:.0f}%", 100 * tree.cpu);
  if (tree.read >= kBusyBytes) text += ", reads " + size_text(static_cast<std::uintmax_t>(tree.read));
  if (tree.written >= kBusyBytes) text += ", writes " + size_text(static_cast<std::uintmax_t>(tree.written));
  return text;
}

bool is_stopped(char state) {
  return state == 'T' || state == 't';
}

/// The main thread; if that waits while another thread works, the other thread.
const Thread& busiest_of(const Stack& stack) {
  const auto busy = std::find_if(stack.threads.begin(), stack.threads.end(),
                                 [](const Thread& thread) { return !thread.is_idle; });
  return busy == stack.threads.end() ? stack.threads[0] : *busy;
}

/// The function and line: "train() at t.py:3" or "<module> at t.py:3"; "train() at t.py:3-9" if the line has
/// changed.
std::string always_in(const Frame& frame, int first, int last) {
  std::string text = frame.function + (frame.function.ends_with('>') ? "" : "()") + " at " +
                     Frame{frame.function, frame.file, first}.place();
  return last == first ? text : text + "-" + std::to_string(last);
}

/// The innermost function in which a thread was in every sample.
std::string function_at_all_looks(const RankLook& rank, const Thread& thread) {
  std::vector<const Thread*> looks;
  for (const Stack& earlier : rank.earlier_stacks)
    for (const Thread& before : earlier.threads)
      if (before.id == thread.id && !before.frames.empty()) looks.push_back(&before);
  if (looks.empty()) return {};
  std::string found;
  for (size_t depth = 1; depth <= thread.frames.size(); ++depth) {
    const Frame& frame = thread.frames[thread.frames.size() - depth];
    int first = frame.line, last = frame.line;
    for (const Thread* before : looks) {
      if (before->frames.size() < depth) return found;
      const Frame& earlier = before->frames[before->frames.size() - depth];
      if (earlier.function != frame.function || earlier.file != frame.file) return found;
      first = std::min(first, earlier.line), last = std::max(last, earlier.line);
    }
    found = always_in(frame, first, last);
  }
  return found;
}

RankState state_of_process(const Process& process, const RankLook& rank) {
  if (is_stopped(process.state) && is_stopped(process.state_before))
    return {.doing = Doing::stopped,
            .where =
                process.name + (process.state == 't' ? " is held by a debugger" : " is stopped by a signal")};
  if (process.state == 'Z' || process.state == 'X')
    return {.doing = Doing::gone, .where = process.name + " has ended"};
  const auto stack = std::find_if(rank.stacks.begin(), rank.stacks.end(),
                                  [&](const Stack& one) { return one.pid == process.pid; });
  const bool has_stack = stack != rank.stacks.end();
  RankState state = has_stack ? told_by(stack->threads[0].frames) : RankState{};
  // A rank that waits in a collective operation may use a whole processor.
  if (state.doing == Doing::collective) return state;
  const Tree tree(process, rank.processes);
  state.is_compiling |= tree.has_compiler;
  if (tree.is_busy()) {
    if (has_stack) {
      const Thread& thread = busiest_of(*stack);
      state.always = function_at_all_looks(rank, thread);
      if (!thread.is_main && state.doing == Doing::unknown) state.where = told_by(thread.frames).where;
    }
    state.doing = Doing::works;
    state.where += (state.where.empty() ? process.name + ", " : ", ") + use_of(tree);
    return state;
  }
  if (state.doing == Doing::unknown || state.doing == Doing::works) state.doing = waits_for(process);
  // The worker processes of a data loader read for the main process.
  const bool waits_for_worker = tree.at_disk != nullptr && state.doing >= Doing::network;
  if (waits_for_worker) state.doing = Doing::input;
  const Process& at = waits_for_worker ? *tree.at_disk : process;
  if (const std::string text = wait_text(at); !text.empty())
    state.where += (state.where.empty() ? at.name + " in " : ", ") + text;
  state.is_saving |= process.call == "fsync" || process.call == "fdatasync";
  return state;
}

}  // namespace

RankState rank_state(const RankLook& rank) {
  if (!rank.runs) return {.doing = Doing::gone, .where = "its pod has finished"};
  std::optional<RankState> most;
  for (const Process* process : main_processes(rank.processes)) {
    RankState state = state_of_process(*process, rank);
    if (!most || state.doing < most->doing) most = std::move(state);
  }
  if (most) return *most;
  return rank.processes.empty() ? RankState{}
                                : RankState{.doing = Doing::gone, .where = "its program has exited"};
}

}  // namespace kml::pod
