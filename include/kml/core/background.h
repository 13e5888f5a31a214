#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kml/core/files.h"

namespace kml {

/// A call of this binary that goes on when its caller, and the caller's terminal, are gone.
struct BackgroundProgram {
  std::vector<std::string> argv;
  std::filesystem::path log;     ///< its standard output and error are appended to this file
  std::filesystem::path folder;  ///< its working folder; empty: the caller's
};

/// Starts it in a session of its own, and waits until it has told its Starter how that went. Returns what it
/// told; empty if it ended before. Throws Error if it cannot be started.
std::string start_in_background(const BackgroundProgram& program);

/// In a program that start_in_background() started: whoever waits for it. No other program inherits it.
class Starter {
 public:
  Starter();
  /// The caller goes on with this text. To be called once.
  void tell(const std::string& text);

 private:
  Fd pipe_;
};

}  // namespace kml
