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

/// POD_NAME and NODE_NAME of the environment, as a job's downward API sets them; else the host's name, and an
/// unknown node. `get` returns a variable's value, or null.
Place find_place(const std::function<const char*(const char*)>& get);

/// One process that trained in a folder of checkpoints.
struct Attempt {
  uint64_t number = 0;  ///< from 1
  Place place;
  std::string start, end;             ///< RFC 3339, UTC; no end: it goes on, or died without a word
  uint64_t first_step = 0;            ///< where it took the run up
  std::optional<uint64_t> last_step;  ///< that it did; none where it did none, or died without a word
  std::string reason;                 ///< "finished", "SIGTERM", "SIGINT", "more ranks" or "error: WHAT"
};

/// attempts.jsonl in a folder of checkpoints: a line when an attempt begins, and one when it ends, which
/// then counts. The story of a run outlives its pods there. Whoever writes must hold the folder's lock
/// (CheckpointFolder). A file that cannot be written is told of and does not stop the training.
class AttemptLog {
 public:
  using Say = std::function<void(const std::string&)>;

  /// Reads the earlier attempts. A line that is none, cut off by a crash, is skipped.
  AttemptLog(const std::filesystem::path& folder, Place place, Say say);

  /// Oldest first.
  const std::vector<Attempt>& earlier() const { return earlier_; }

  const Attempt& begin(uint64_t first_step);
  /// `next_step` is the first one that it did not do.
  const Attempt& end(uint64_t next_step, std::string reason);

 private:
  void append();

  std::filesystem::path file_;
  Say say_;
  std::vector<Attempt> earlier_;
  Attempt now_;
};

/// One line of the log, without the newline: for kml and people, "kml-attempt: {…}".
std::string attempt_line(const Attempt& attempt);

}  // namespace trainer
