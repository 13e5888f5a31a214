#pragma once

#include <filesystem>
#include <future>
#include <optional>

#include "checkpoint/checkpoint.h"

namespace trainer {

/// What a checkpoint was, once it is on disk.
struct Saved {
  uint64_t step = 0, updates = 0;
  std::filesystem::path file;
  double seconds = 0;  ///< from begin() on
};

/// Writes checkpoints in a thread of its own, one at a time, while the training goes on. The destructor waits
/// for the one under way.
class CheckpointWriter {
 public:
  explicit CheckpointWriter(CheckpointFolder& folder) : folder_(folder) {}

  /// Copies the state and begins to write it. The one before must have been taken by finish().
  void begin(const State& state);

  /// Whether one is under way, or done and not yet taken.
  bool is_busy() const { return writing_.valid(); }
  /// Whether finish() would not wait.
  bool is_done() const;

  /// Waits for the one under way, and takes it. Throws the Error that CheckpointFolder::save() had.
  Saved finish() { return writing_.get(); }

 private:
  CheckpointFolder& folder_;
  State state_;
  std::future<Saved> writing_;
};

}  // namespace trainer
