#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kml/core/clock.h"

namespace kml::local {

/// Turns a log file's records (`TIME stdout|stderr F|P TEXT`) into the lines that the container wrote: joins
/// the parts of long lines by stream, so that stdout and stderr are never glued together. The parts of a line
/// that has a '\r' are passed on at once, as a progress bar may have no newline for hours; where the other
/// stream writes meanwhile, the bar's line ends there, and goes on as another one.
class LogLines {
 public:
  struct Options {
    bool timestamps = false;
    std::optional<Time> since;  ///< records before it are left out
    bool unfinished = false;    ///< the parts of every line are passed on at once, as those of a bar are
  };
  explicit LogLines(Options options) : options_(options) {}

  /// Appends what the record, without its newline, completes.
  void add(std::string_view record, std::string& out);
  /// Appends the parts of lines that never got their end.
  void finish(std::string& out);
  /// The same where lines are missing: what comes next begins a line.
  void cut(std::string& out);

 private:
  void pass_on(int stream, std::string& out);

  Options options_;
  std::string unfinished_[2],
      begun_[2];                  ///< by stream: what was not passed on, and the time of its first part
  std::optional<int> open_ = {};  ///< whose line was passed on in part
};

/// Whether a record ends a line of the container.
bool ends_line(std::string_view record);

}  // namespace kml::local
