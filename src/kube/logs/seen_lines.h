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

/// Remembers which lines of a container's log were passed on, from the time at which a resumed request would
/// start. That is one to two seconds before the last line, because the API server truncates sinceTime to
/// whole seconds, and lines from stdout and stderr may be slightly out of order.
///
/// Repeated lines are recognized by their time (in nanoseconds) and a hash of their text. They are counted,
/// because equal lines may have equal times. If more lines are repeated than are remembered, the order in the
/// log decides: lines before a seen line were seen, too.
class SeenLines {
 public:
  enum class Verdict {
    fresh,  ///< a new line
    seen,   ///< a repeated line
    /// The first line after resumed() is new, and no seen line came before it. The seen lines may be
    /// unreadable now, and unseen lines may be lost as well. This line is not recorded; judge it again after
    /// accept().
    fresh_after_gap,
  };

  /// How many lines are remembered; each takes 16 bytes.
  static constexpr size_t kMost = 4096;

  /// The time from which to resume the log; empty before the first line.
  std::optional<Time> resume_from() const;
  /// The time of the newest line when resumed() was called.
  Time newest_before() const { return newest_; }
  /// Call this before a resumed request, whose response repeats seen lines.
  void resumed();
  /// Whether seen lines are expected since resumed(), but none has arrived yet.
  bool unmatched() const { return replaying_ && !matched_; }
  /// Whether some seen lines have not yet been repeated since resumed().
  bool replaying() const { return replaying_; }
  /// Accepts that lines may be missing before the next line.
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

  // A ring buffer in the order of arrival. Its size is a power of two.
  std::vector<Line> lines_;
  size_t begin_ = 0, count_ = 0;
  Time last_{};        ///< the time of the last line
  Time pushed_out_{};  ///< the time of the newest line that was pushed out of the ring
  size_t pushed_ = 0;  ///< of the lines pushed out, a resumed request repeats at least this many

  bool replaying_ = false;
  bool matched_ = false;        ///< whether a seen line has been repeated since resumed()
  size_t skipped_ = 0;          ///< how many lines were recognized only by their position
  Time newest_{};               ///< the newest time of a line when resumed() was last called
  std::vector<Count> pending_;  ///< lines that may be repeated, as counts by hash
  size_t left_ = 0;             ///< how many lines pending_ still has
};

struct NewerLine {
  Time time;
  std::string text;
};

/// How a look at the log ended: its lines were read, the connection broke, or the server did not send the
/// log.
enum class LookEnd { read, broken, rejected };

/// `line` is the log's first unseen line; empty if none was found.
using OnNewerLine = std::function<void(std::optional<NewerLine> line, LookEnd end)>;

/// Looks for the first unseen line by a separate request, which does not follow the log. `pieces` must be
/// unused, and have the same settings as when the lines were seen. Calls `found` once; `found` may destroy
/// the returned stream.
std::unique_ptr<http::Stream> look_for_newer_line(Client& client, const http::Request& request,
                                                  const SeenLines& seen, const LinePieces& pieces,
                                                  const OnNewerLine& found);

}  // namespace kml::kube
