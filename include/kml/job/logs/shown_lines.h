#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "kml/job/logs/log_lines.h"

namespace kml::job {

/// Splits the text from one source into what a screen would show: lines, and each state of a line that is
/// redrawn with '\r', such as a progress bar. A state is complete when its '\r' or newline has arrived. The
/// text may arrive in pieces of any length.
class ShownLines {
 public:
  /// Called with a state. If `is_open`, the next state may replace it. `text` does not contain '\r', and is
  /// valid until the call returns. An empty `text` ends the line: if a state was passed before, it remains.
  /// Leaves out states longer than 32 KiB that arrive in pieces.
  using OnShown = std::function<void(std::string_view text, bool is_open)>;

  void take(const LogLine& line, const OnShown& on_shown);

 private:
  void append(std::string_view text);

  std::string open_;  ///< an incomplete state
  bool is_too_long_ = false;
};

}  // namespace kml::job
