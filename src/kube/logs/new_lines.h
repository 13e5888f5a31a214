#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kml/kube/logs/log_stream.h"
#include "kube/client/line_pieces.h"
#include "kube/logs/seen_lines.h"
#include "kube/logs/stamps.h"

namespace kml::kube {

/// Finds the new lines in the responses for a log. A repeated request returns lines that were passed on
/// before. If a response has none of them, the log may belong to a different run of the container; in that
/// case, the first new line and all lines after it are held until accept().
class NewLines {
 public:
  explicit NewLines(LogCut cut) : pieces_(kLongestPiece, cut == LogCut::redraws) {}

  /// Records a line that was passed on earlier.
  void recall(Time time, std::string_view text) { seen_.judge(time, text); }
  /// Call this before a request is sent. Drops an incomplete line, because the next response has the complete
  /// one. Returns the time from which to request the log; empty before the first line.
  std::optional<Time> begin_response();
  /// Sets the next bytes. They must stay valid until next() has returned false.
  void feed(std::string_view data) { pieces_.feed(data); }
  /// Call this at the end of the input. next() then returns the text after the last newline, and nothing is
  /// held any more.
  void end();

  /// Returns the next line or piece in `line`, whether it is new or not; returns false if none has arrived.
  /// The line is valid for as long as the data.
  bool next(LogText& line);
  /// Judges the line that next() has returned. If it is the first line after a gap, holds it and all lines
  /// after it.
  SeenLines::Verdict judge(const LogText& line);
  /// The part of the next line that is certainly new; empty if there is none.
  std::optional<LogText> unfinished();
  /// The text of an incomplete line.
  std::string_view begun() const { return pieces_.begun(); }

  bool is_holding() const { return !held_.empty(); }
  struct Gap {
    Time last, next;
  };
  /// Call this if the held lines belong to the same run: next() continues with them. Returns the times of the
  /// lines before and after the gap; empty if no line was passed on before.
  std::optional<Gap> accept();

  const SeenLines& seen() const { return seen_; }
  /// A new splitter with the same settings.
  LinePieces splitter() const { return pieces_.empty_copy(); }

 private:
  LinePieces pieces_;
  LinePiece piece_;  ///< the piece that next() has returned
  Stamps stamps_;
  SeenLines seen_;
  Time time_{};  ///< the time of the last line that was read
  bool has_begun_ = false;
  /// the request was repeated before any line arrived, so the log may belong to a different run
  bool is_unproven_ = false;
  enum class Input { response, rest, over } input_ = Input::response;
  std::string held_;
  std::string accepted_;  ///< the lines that were held, while next() returns them
};

}  // namespace kml::kube
