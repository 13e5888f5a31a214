#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/raw_terminal.h"
#include "live/screen/pane.h"

namespace kml::live {

/// The functions that the screen needs from the rest of the program. Tests have their own implementation.
class Outside {
 public:
  virtual ~Outside() = default;

  /// Starts a kml command whose terminal is the pane. stop() must come before the pane is destroyed.
  virtual void start(Pane& pane, const std::vector<std::string>& argv, TerminalSize size) = 0;
  virtual void resize(Pane& pane, TerminalSize size) = 0;
  virtual void stop(Pane& pane) = 0;
  /// Leaves the terminal to a command until it has ended.
  virtual void run_in_front(const std::vector<std::string>& argv) = 0;
  /// Puts a text into the terminal's clipboard.
  virtual void copy(std::string_view text) = 0;
};

}  // namespace kml::live
