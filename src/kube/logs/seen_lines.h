#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/core/clock.h"
#include "kml/kube/client.h"
#include "kube/line_pieces.h"

namespace kml::kube {

/// Remembers which lines of one container's log have been handed on, as far back as a resumed request begins.
///
/// The API server cuts sinceTime to whole seconds, and lines of stdout and stderr may stand a little out of
/// order: so a resumed request begins a second before the last line's. What comes again is told by the time
/// (in nanoseconds) and a hash of each line, counted, since equal lines may share a time. Where more lines
/// fall into these seconds than are kept, the log's order tells the others: what stands before a line that
/// was seen was seen too.
class SeenLines {
 public:
  enum class Verdict {
    fresh,  ///< a new line
    seen,   ///< one that only comes again
    /// A new line, the first after resumed(), and nothing of what was seen came before it: those lines can no
    /// longer be read, and perhaps some that never were. It is not taken note of; judge it again after
    /// accept().
    fresh_after_gap,
  };

  /// Lines that are kept, 16 bytes each.
  static constexpr size_t kMost = 4096;

  /// Where a resumed request is to begin; empty before the first line.
  std::optional<Time> resume_from() const;
  /// The newest line's time when resumed() was called.
  Time newest_before() const { return newest_; }
  /// From now on lines come again that have been seen.
  void resumed();
  /// Since resumed() nothing came of what had been seen.
  bool unmatched() const { return replaying_ && !matched_; }
  /// Since resumed() not all has come again that was seen.
  bool replaying() const { return replaying_; }
  /// There may be a gap where the log now goes on.
  void accept() { matched_ = true; }
  /// Judges the next line, and takes note of it.
  Verdict judge(Time time, std::string_view text) {
    const uint64_t hash = hash_of(time, text);
    if (!replaying_) {
      add(time, hash);
      return Verdict::fresh;
    }
    return judge_again(time, hash);
  }

 private:
  struct Line {
    Time time;
    uint64_t hash;
  };

  struct Count {
    uint64_t hash;
    size_t lines;
  };

  static uint64_t hash_of(Time time, std::string_view text);
  void add(Time time, uint64_t hash);
  Verdict judge_again(Time time, uint64_t hash);
  Line& at(size_t i) { return lines_[(begin_ + i) & (lines_.size() - 1)]; }
  void grow();
  void end_replay();

  // A ring, in the order of arrival; its size is a power of two.
  std::vector<Line> lines_;
  size_t begin_ = 0, count_ = 0;
  Time last_{};        ///< of the line that came last
  Time pushed_out_{};  ///< of the newest line that there was no room for
  size_t pushed_ = 0;  ///< at least how many of them a resumed request may bring

  bool replaying_ = false;
  bool matched_ = false;        ///< since resumed(), a line came that had been seen
  size_t skipped_ = 0;          ///< lines that only their place tells
  Time newest_{};               ///< when resumed() was called
  std::vector<Count> pending_;  ///< what may come again, by hash
  size_t left_ = 0;             ///< of those lines
};

struct NewerLine {
  Time time;
  std::string text;
};

/// The log's first line that is not among those seen; empty if all are.
using OnNewerLine = std::function<void(std::optional<NewerLine> line, const Error* broken)>;

/// Looks for it with a request that does not follow; `pieces`, which have read nothing, cut lines as they
/// were when they were seen. One call of `found`, which may destroy the result.
std::unique_ptr<http::Stream> look_for_newer_line(Client& client, const http::Request& request,
                                                  const SeenLines& seen, const LinePieces& pieces,
                                                  const OnNewerLine& found);

}  // namespace kml::kube
