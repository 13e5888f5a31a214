#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kml/base/files.h"

namespace kml {

/// A kml process that continues after its caller has ended and the caller's terminal is closed.
struct BackgroundProgram {
  std::vector<std::string> argv;
  /// the file to which the process's standard output and standard error are appended
  std::filesystem::path log;
  std::filesystem::path folder;  ///< the working folder; empty means the caller's
};

/// Starts the program in its own session, and waits for the text that it sends with Starter::tell(). Returns
/// that text; empty if the program cannot be executed, or has ended without sending one. Throws Error if the
/// log cannot be opened or no process can be started.
std::string start_in_background(const BackgroundProgram& program);

/// The background program's connection to the process that waits in start_in_background(). Child processes do
/// not inherit it.
class Starter {
 public:
  Starter();
  /// Sends the text to the waiting process, which then continues. Call this only once.
  void tell(const std::string& text);

 private:
  Fd pipe_;
};

}  // namespace kml
