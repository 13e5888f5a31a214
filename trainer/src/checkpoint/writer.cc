#include "checkpoint/writer.h"

#include <chrono>

namespace trainer {

void CheckpointWriter::begin(const State& state) {
  state_ = state;
  writing_ = std::async(std::launch::async, [this, start = std::chrono::steady_clock::now()] {
    const auto file = folder_.save(state_);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    return Saved{state_.step, state_.updates, file, took.count()};
  });
}

bool CheckpointWriter::is_done() const {
  return writing_.valid() && writing_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

}  // namespace trainer
