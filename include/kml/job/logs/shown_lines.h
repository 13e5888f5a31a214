#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "kml/job/logs/log_lines.h"

namespace kml::job {

/// Splits the text of one source into what a screen would show: lines, and each state of a line that '\r'
/// redraws, such as a progress bar. A state is complete once its '\r' or newline has arrived. The text may
/// arrive in pieces of any length.
class ShownLines {
 public:
  /// Receives a state. If `is_open`, the next state may replace it. `text` has no '\r' and is valid until the
  /// call returns. It is empty if the line ends and its last state remains. States longer than 32 KiB that
  /// arrive in pieces are left out.
  using OnShown = std::function<void(std::string_view text, bool is_open)>;

  void take(const LogLine& line, const OnShown& on_shown);

 private:
  void append(std::string_view text);

  std::string open_;  ///< the unfinished state
  bool is_too_long_ = false;
};

}  // namespace kml::job
