#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

namespace trainer {

/// A fixed team of threads. The result of a task must not depend on which thread runs it, or on how many
/// threads exist. All results then have the same bits for any team.
class Parallel {
 public:
  /// `threads` is at least 1 and includes the caller.
  explicit Parallel(unsigned threads);
  ~Parallel();
  Parallel(const Parallel&) = delete;

  unsigned threads() const { return static_cast<unsigned>(workers_.size()) + 1; }

  /// Calls task(0) to task(count - 1), in any order, and returns when all are done. Tasks must not throw.
  void run(size_t count, const std::function<void(size_t)>& task);

  /// Divides the numbers from 0 to count - 1 into blocks of `size` (the last may be smaller), and calls
  /// task(first, last) for each block.
  void run_blocks(size_t count, size_t size, const std::function<void(size_t first, size_t last)>& task);

 private:
  void worker();
  void take_tasks();

  const std::function<void(size_t)>* task_ = nullptr;
  size_t count_ = 0;
  std::atomic<size_t> next_{0};
  std::atomic<unsigned> generation_{0};
  std::atomic<size_t> busy_{0};
  bool ending_ = false;
  std::vector<std::thread> workers_;
};

/// The number of CPUs that this process may use, from its affinity mask and the CPU quota of its cgroup (v2),
/// rounded up.
unsigned usable_cpus();

}  // namespace trainer
