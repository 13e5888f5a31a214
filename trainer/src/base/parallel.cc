#include "base/parallel.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>

namespace trainer {

Parallel::Parallel(unsigned threads) {
  for (unsigned i = 1; i < threads; ++i) workers_.emplace_back([this] { worker(); });
}

Parallel::~Parallel() {
  ending_ = true;
  ++generation_;
  generation_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void Parallel::run(size_t count, const std::function<void(size_t)>& task) {
  task_ = &task;
  count_ = count;
  next_ = 0;
  busy_ = workers_.size();
  ++generation_;
  generation_.notify_all();
  take_tasks();
  for (size_t busy; (busy = busy_) != 0;) busy_.wait(busy);
}

void Parallel::run_blocks(size_t count, size_t size, const std::function<void(size_t, size_t)>& task) {
  run((count + size - 1) / size,
      [&](size_t block) { task(block * size, std::min((block + 1) * size, count)); });
}

void Parallel::worker() {
  for (unsigned seen = 0;; ++seen) {
    generation_.wait(seen);
    if (ending_) return;
    take_tasks();
    if (--busy_ == 0) busy_.notify_one();
  }
}

void Parallel::take_tasks() {
  for (size_t i; (i = next_++) < count_;) (*task_)(i);
}

unsigned usable_cpus() {
  cpu_set_t set;
  unsigned cpus = sched_getaffinity(0, sizeof set, &set) == 0 ? static_cast<unsigned>(CPU_COUNT(&set)) : 1;
  // The file has "QUOTA PERIOD" in microseconds, or "max PERIOD".
  double quota, period;
  if (std::ifstream limit("/sys/fs/cgroup/cpu.max"); limit >> quota >> period && period > 0) {
    cpus = std::min(cpus, static_cast<unsigned>(std::ceil(quota / period)));
  }
  return std::max(cpus, 1u);
}

}  // namespace trainer
