#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/clock.h"
#include "kml/kube/client/client.h"
#include "kube/client/line_pieces.h"

namespace kml::kube {

/// Remembers the lines of one container's log that were passed on, as far back as a resumed request starts.
///
/// The API server truncates sinceTime to whole seconds, and lines of stdout and stderr may be slightly out of
/// order. Therefore a resumed request starts a second before the last line. Repeated lines are recognized by
/// the time (in nanoseconds) and a hash of each line, which are counted, because equal lines may have the
/// same time. If these seconds have more lines than are kept, the order of the log decides: lines before a
/// seen line were seen too.
class SeenLines {
 public:
  enum class Verdict {
    fresh,  ///< a new line
    seen,   ///< a repeated line
    /// The first line after resumed() is new, and no seen line came before it. The seen lines can no longer
    /// be read, and unseen ones may be lost too. The line is not recorded; judge it again after accept().
    fresh_after_gap,
  };

  /// The number of lines kept, 16 bytes each.
  static constexpr size_t kMost = 4096;

  /// The time at which a resumed request must begin; empty before the first line.
  std::optional<Time> resume_from() const;
  /// The newest line's time when resumed() was called.
  Time newest_before() const { return newest_; }
  /// A request was resumed, so seen lines will be repeated.
  void resumed();
  /// Whether no seen line was repeated since resumed().
  bool unmatched() const { return replaying_ && !matched_; }
  /// Whether some seen lines have not yet been repeated since resumed().
  bool replaying() const { return replaying_; }
  /// Accepts a possible gap before the next line.
  void accept() { matched_ = true; }
  /// Judges the next line and records it.
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
  Time last_{};        ///< of the last line
  Time pushed_out_{};  ///< of the newest line that no longer fitted into the ring
  size_t pushed_ = 0;  ///< the least number of those lines that a resumed request may repeat

  bool replaying_ = false;
  bool matched_ = false;        ///< a seen line was repeated since resumed()
  size_t skipped_ = 0;          ///< lines recognized only by their position
  Time newest_{};               ///< the newest time when resumed() was called
  std::vector<Count> pending_;  ///< lines that may be repeated, by hash
  size_t left_ = 0;             ///< number of lines in pending_
};

struct NewerLine {
  Time time;
  std::string text;
};

/// The log's first unseen line; empty if all were seen.
using OnNewerLine = std::function<void(std::optional<NewerLine> line, const Error* broken)>;

/// Looks for that line with a request that does not follow the log. `pieces` must be unused and have the
/// settings with which the lines were seen. Calls `found` once; it may destroy the result.
std::unique_ptr<http::Stream> look_for_newer_line(Client& client, const http::Request& request,
                                                  const SeenLines& seen, const LinePieces& pieces,
                                                  const OnNewerLine& found);

}  // namespace kml::kube
