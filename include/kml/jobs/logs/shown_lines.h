#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "kml/jobs/logs/log_lines.h"

namespace kml::jobs {

/// What one source's lines show on a screen, one after another: a line, or each state of one that is redrawn
/// by '\r', as a progress bar is, once its '\r' or newline has come. In pieces of any length.
class ShownLines {
 public:
  /// `is_open`: the next one may stand in its place. `text` has no '\r', and lives until the call returns;
  /// it is empty if the line ends, and what it showed before stays. What is longer than 32 KiB in pieces
  /// is left out.
  using OnShown = std::function<void(std::string_view text, bool is_open)>;

  void take(const LogLine& line, const OnShown& on_shown);

 private:
  void append(std::string_view text);

  std::string open_;  ///< the state of which more is to come
  bool is_too_long_ = false;
};

}  // namespace kml::jobs
