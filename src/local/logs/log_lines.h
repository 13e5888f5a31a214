#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kml/base/clock.h"

namespace kml::local {

/// Turns the records of a log file (`TIME stdout|stderr F|P TEXT`) into the lines that the container wrote.
/// Joins the parts of long lines separately for stdout and stderr, so that a line never mixes the two. If a
/// line contains '\r', its parts are passed on at once, because a progress bar may write no newline for
/// hours. If the other stream writes meanwhile, the bar's line ends there, and continues as a new line.
class LogLines {
 public:
  struct Options {
    bool timestamps = false;
    std::optional<Time> since;     ///< leaves out earlier records
    std::optional<int> only = {};  ///< selects only this stream's records: 0 is stdout, 1 is stderr
    bool unfinished = false;       ///< passes on the parts of all lines at once, as for progress bars
  };
  explicit LogLines(Options options) : options_(options) {}

  /// Appends the text that is complete with this record. `record` has no newline.
  void add(std::string_view record, std::string& out);
  /// Appends the parts of lines that never ended.
  void finish(std::string& out);
  /// Like finish(), for a place where lines are missing: the next record starts a new line.
  void cut(std::string& out);

 private:
  void pass_on(int stream, std::string& out);

  Options options_;
  std::string unfinished_[2],
      /// for each stream, the parts that were not passed on yet, and the first part's time
      begun_[2];
  std::optional<int> open_ = {};  ///< the stream whose current line was partly passed on
};

/// Whether the record ends a line that the container wrote.
bool ends_line(std::string_view record);

}  // namespace kml::local
