#include "pod/hang/deadlock.h"

#include <algorithm>
#include <vector>

#include "kml/base/text.h"

namespace kml::pod {

namespace {

/// A thread that waits.
struct WaitingThread {
  int pid = 0;
  std::string name = {}, waits_for = {};
  const Thread* thread = nullptr;    ///< null if only the process is known
  std::vector<size_t> awaited = {};  ///< the waiting threads that hold the lock for which this thread waits
};

bool have_common(const std::vector<std::string>& some, const std::vector<std::string>& others) {
  return std::find_first_of(some.begin(), some.end(), others.begin(), others.end()) != some.end();
}

/// Whether the thread has not moved. Compares the whole stack, including line numbers.
bool stands_still(const RankLook& rank, int pid, const Thread& thread) {
  bool is_known = false;
  for (const Stack& earlier : rank.earlier_stacks)
    for (const Thread& before : earlier.threads) {
      if (earlier.pid != pid || before.id != thread.id) continue;
      is_known = true;
      if (before.frames != thread.frames) return false;
    }
  return is_known;
}

/// Whether a fork() created the process. Such a process has its parent's objects at the same addresses.
bool is_forked(const Thread& thread) {
  return std::any_of(thread.frames.begin(), thread.frames.end(),
                     [](const Frame& frame) { return frame.file.ends_with("/popen_fork.py"); });
}

bool holds_what_it_awaits(const WaitingThread& holder, const WaitingThread& waiter) {
  if (!holder.thread || !waiter.thread) return false;
  const Waitable& waited = waiter.thread->waits;
  const bool is_of_process = waited.name.starts_with("process ");
  if (holder.pid != waiter.pid && !is_of_process &&
      (!waited.is_shared || !is_forked(*holder.thread) || !is_forked(*waiter.thread)))
    return false;
  // The address at which a lock's waiters wait differs between processes.
  std::vector<std::string> keys = waited.keys;
  if (holder.pid != waiter.pid)
    std::erase_if(keys, [](const auto& key) { return key.starts_with("futex "); });
  return std::any_of(holder.thread->holds.begin(), holder.thread->holds.end(),
                     [&](const Waitable& held) { return have_common(held.keys, keys); });
}

const Process* process_with(const RankLook& rank, int pid) {
  const auto found = std::find_if(rank.processes.begin(), rank.processes.end(),
                                  [pid](const Process& process) { return process.pid == pid; });
  return found == rank.processes.end() ? nullptr : &*found;
}

class DeadlockSearch {
 public:
  explicit DeadlockSearch(const RankLook& rank) : rank_(rank) {
    add_threads();
    add_file_waits();
    for (WaitingThread& waiter : waiters_)
      for (size_t i = 0; i < waiters_.size(); ++i)
        if (holds_what_it_awaits(waiters_[i], waiter)) waiter.awaited.push_back(i);
  }

  std::optional<std::string> found() {
    is_done_.resize(waiters_.size());
    for (size_t i = 0; i < waiters_.size(); ++i)
      if (follow(i)) return in_words();
    return {};
  }

 private:
  void add_threads();
  void add_file_waits();
  size_t place_of_process(int pid);
  /// Whether following the awaited threads from here leads to a thread that is already on the way. way_ then
  /// contains that cycle.
  bool follow(size_t place);
  std::string in_words() const;
  std::string name_of(const WaitingThread& waiter) const;

  const RankLook& rank_;
  std::vector<WaitingThread> waiters_;
  std::vector<bool> is_done_;
  std::vector<size_t> way_;
};

void DeadlockSearch::add_threads() {
  for (const Stack& stack : rank_.stacks)
    for (const Thread& thread : stack.threads)
      if (!thread.waits.name.empty() && stands_still(rank_, stack.pid, thread))
        waiters_.push_back({.pid = stack.pid,
                            .name = thread.is_main ? "main thread" : "thread \"" + thread.name + "\"",
                            .waits_for = thread.waits.name + " at " + in_source(thread.waits_at),
                            .thread = &thread});
}

size_t DeadlockSearch::place_of_process(int pid) {
  const auto found = std::find_if(waiters_.begin(), waiters_.end(), [pid](const WaitingThread& waiter) {
    return waiter.pid == pid && !waiter.thread;
  });
  if (found != waiters_.end()) return static_cast<size_t>(found - waiters_.begin());
  waiters_.push_back({.pid = pid});
  return waiters_.size() - 1;
}

/// For a file lock, the kernel only knows the process.
void DeadlockSearch::add_file_waits() {
  for (const FileWait& wait : rank_.file_waits) {
    const Process* process = process_with(rank_, wait.pid);
    if (!process || process->state != process->state_before) continue;
    const size_t waiter = place_of_process(wait.pid), holder = place_of_process(wait.holder);
    waiters_[waiter].awaited.push_back(holder);
    waiters_[waiter].waits_for = "the lock of " + (process->file.empty() ? "a file" : process->file);
    for (const Stack& stack : rank_.stacks)
      if (stack.pid == wait.pid) waiters_[waiter].waits_for += " at " + in_source(stack.threads[0].frames[0]);
  }
}

bool DeadlockSearch::follow(size_t place) {
  if (const auto begin = std::find(way_.begin(), way_.end(), place); begin != way_.end()) {
    way_.erase(way_.begin(), begin);
    return true;
  }
  if (is_done_[place]) return false;
  way_.push_back(place);
  for (const size_t next : waiters_[place].awaited)
    if (follow(next)) return true;
  way_.pop_back();
  is_done_[place] = true;
  return false;
}

std::string DeadlockSearch::name_of(const WaitingThread& waiter) const {
  const bool is_one_process = std::all_of(
      way_.begin(), way_.end(), [&](size_t place) { return waiters_[place].pid == waiters_[way_[0]].pid; });
  std::string process = "process " + std::to_string(waiter.pid);
  if (!waiter.thread) return process;
  return is_one_process ? waiter.name : waiter.name + " of " + process;
}

std::string DeadlockSearch::in_words() const {
  std::vector<std::string> parts;
  for (size_t i = 0; i < way_.size(); ++i) {
    const WaitingThread &waiter = waiters_[way_[i]], &holder = waiters_[way_[(i + 1) % way_.size()]];
    const bool is_end = waiter.thread && (waiter.thread->waits.name.starts_with("thread ") ||
                                          waiter.thread->waits.name.starts_with("process "));
    parts.push_back(name_of(waiter) + " waits for " + (is_end ? "the end of " : "") + waiter.waits_for +
                    (is_end             ? ""
                     : way_.size() == 1 ? ", which it holds itself"
                                        : ", held by " + name_of(holder)));
  }
  return join(parts, "; ");
}

}  // namespace

std::optional<std::string> deadlock_in(const RankLook& rank) {
  return DeadlockSearch(rank).found();
}

std::string in_source(const Frame& frame) {
  return frame.function + " " + frame.place();
}

}  // namespace kml::pod
