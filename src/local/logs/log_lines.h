#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kml/base/clock.h"

namespace kml::local {

/// Turns a log file's records (`TIME stdout|stderr F|P TEXT`) into the lines that the container wrote. Joins
/// the parts of long lines separately for stdout and stderr, so that the two are never mixed in a line. A
/// line that contains '\r' is passed on in parts at once, because a progress bar may write no newline for
/// hours. If the other stream writes in between, the bar's line is ended there and continues as a new line.
class LogLines {
 public:
  struct Options {
    bool timestamps = false;
    std::optional<Time> since;     ///< earlier records are left out
    std::optional<int> only = {};  ///< only the records of this stream: 0 is stdout, 1 is stderr
    bool unfinished = false;       ///< pass on the parts of all lines at once, as for progress bars
  };
  explicit LogLines(Options options) : options_(options) {}

  /// Appends the text that this record (without its newline) completes.
  void add(std::string_view record, std::string& out);
  /// Appends the parts of lines that were never ended.
  void finish(std::string& out);
  /// Like finish(), if lines are missing from here on: the next record starts a new line.
  void cut(std::string& out);

 private:
  void pass_on(int stream, std::string& out);

  Options options_;
  std::string unfinished_[2],
      begun_[2];                  ///< by stream: the parts not yet passed on, and the time of the first part
  std::optional<int> open_ = {};  ///< the stream with a partly passed on line
};

/// Whether a record ends a line of the container.
bool ends_line(std::string_view record);

}  // namespace kml::local
