#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kml/kube/logs/log_stream.h"
#include "kube/client/line_pieces.h"
#include "kube/logs/seen_lines.h"
#include "kube/logs/stamps.h"

namespace kml::kube {

/// From the bytes of a log's responses to its new lines. A repeated request brings lines that were passed on
/// before. If it brings none of them, the log may be that of another run: its first new line and all after it
/// are held until accept().
class NewLines {
 public:
  explicit NewLines(LogCut cut) : pieces_(kLongestPiece, cut == LogCut::redraws) {}

  /// Records a line that was passed on earlier.
  void recall(Time time, std::string_view text) { seen_.judge(time, text); }
  /// A request is sent: drops what is unfinished, as it will come again as a whole. Returns the time from
  /// which to ask; empty before the first line.
  std::optional<Time> begin_response();
  /// Takes the next bytes, which must stay valid until next() has returned false.
  void feed(std::string_view data) { pieces_.feed(data); }
  /// The input is over: the next line is what has no newline, and nothing is held any more.
  void end();

  /// Gets the next line or piece, whether it is new or not; false if none has arrived. It is valid as long as
  /// the data.
  bool next(LogText& line);
  /// Judges the line that next() has got. If it is the first after a gap, holds it and all after it.
  SeenLines::Verdict judge(const LogText& line);
  /// A part of the next line that is certainly new; empty if there is none.
  std::optional<LogText> unfinished();
  /// A line without an end.
  std::string_view begun() const { return pieces_.begun(); }

  bool is_holding() const { return !held_.empty(); }
  struct Gap {
    Time last, next;
  };
  /// What is held is of the same run, and next() continues with it. Empty if no line was passed on before.
  std::optional<Gap> accept();

  const SeenLines& seen() const { return seen_; }
  /// An unused splitter with the same settings.
  LinePieces splitter() const { return pieces_.empty_copy(); }

 private:
  LinePieces pieces_;
  LinePiece piece_;  ///< that next() has got
  Stamps stamps_;
  SeenLines seen_;
  Time time_{};  ///< of the last line that was read
  bool has_begun_ = false;
  bool is_unproven_ = false;  ///< asked again before the first line; the log may be that of another run
  enum class Input { response, rest, over } input_ = Input::response;
  std::string held_;
  std::string accepted_;  ///< what was held, while next() reads it
};

}  // namespace kml::kube
