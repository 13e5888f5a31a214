#pragma once

#include <filesystem>
#include <future>
#include <optional>

#include "checkpoint/checkpoint.h"

namespace trainer {

/// A checkpoint that was saved.
struct Saved {
  uint64_t step = 0, updates = 0;
  std::filesystem::path file;
  double seconds = 0;  ///< since begin()
};

/// Writes checkpoints in its own thread, one at a time, while the training continues. The destructor waits
/// for the current one.
class CheckpointWriter {
 public:
  explicit CheckpointWriter(CheckpointFolder& folder) : folder_(folder) {}

  /// Copies the state and starts to write it. If there was a previous call, the caller must have called
  /// finish() after it.
  void begin(const State& state);

  /// Whether a checkpoint is being written, or is complete but finish() was not yet called.
  bool is_busy() const { return writing_.valid(); }
  /// Whether finish() would return at once.
  bool is_done() const;

  /// Waits for the current checkpoint. Rethrows the Error of CheckpointFolder::save().
  Saved finish() { return writing_.get(); }

 private:
  CheckpointFolder& folder_;
  State state_;
  std::future<Saved> writing_;
};

}  // namespace trainer
