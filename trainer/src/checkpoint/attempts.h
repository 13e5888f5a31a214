#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace trainer {

/// Where a process runs: a pod and its node.
struct Place {
  std::string pod, node;
};

/// The place from the variables POD_NAME and NODE_NAME, which a job sets by the downward API. Without them,
/// the host's name and an unknown node. `get` returns a variable's value, or null.
Place find_place(const std::function<const char*(const char*)>& get);

/// One process that trained in a folder of checkpoints.
struct Attempt {
  uint64_t number = 0;  ///< from 1
  Place place;
  /// RFC 3339, UTC; `end` is empty if the process is running or was killed
  std::string start, end;
  uint64_t first_step = 0;  ///< the first step of this attempt
  /// the last completed step; empty if there is none, or if the process was killed
  std::optional<uint64_t> last_step;
  std::string reason;  ///< "finished", "SIGTERM", "SIGINT", "more ranks" or "error: WHAT"
};

/// The file attempts.jsonl in a folder of checkpoints. It gets a line when an attempt begins, and another one
/// when the attempt ends. Readers use the last line of an attempt. This history outlives the run's pods. A
/// writer must hold the folder's lock (CheckpointFolder). If the file cannot be written, the training
/// continues after a message.
class AttemptLog {
 public:
  using Say = std::function<void(const std::string&)>;

  /// Reads the earlier attempts. Skips invalid lines, because a crash may have cut off a line.
  AttemptLog(const std::filesystem::path& folder, Place place, Say say);

  /// Oldest first.
  const std::vector<Attempt>& earlier() const { return earlier_; }

  const Attempt& begin(uint64_t first_step);
  /// Records the end of this attempt. `next_step` is the first step that it did not complete.
  const Attempt& end(uint64_t next_step, std::string reason);

 private:
  void append();

  std::filesystem::path file_;
  Say say_;
  std::vector<Attempt> earlier_;
  Attempt now_;
};

/// The line for the log, "kml-attempt: {…}", without the newline. kml and people read it.
std::string attempt_line(const Attempt& attempt);

}  // namespace trainer
