#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "kml/base/files.h"
#include "local/loop/event_loop.h"
#include "local/shim/log_writer.h"

namespace kml::local {

/// What a container's program prints: from its pipes into its log. A line that has no newline yet is written
/// after a moment, so that progress bars are seen.
class ContainerOutput {
 public:
  /// If `keeps_end`, the end of the output can be read later.
  ContainerOutput(EventLoop& loop, bool keeps_end) : loop_(loop), keeps_end_(keeps_end) {}

  /// Begins the log of a new run.
  void begin(const std::filesystem::path& folder, int run, const LogLimits& limits);
  /// The ends of new pipes into which the program writes.
  struct Writers {
    Fd out, err;
  };
  /// Call it once no pipe is open. Throws Error if no pipe can be made.
  Writers open();
  /// Closes the pipes of a program that has not started.
  void drop();
  /// Reads what the pipes still hold, closes them, and ends the log. Processes elsewhere that still have a
  /// pipe open do not keep the container alive.
  void finish();

  /// The end of this run's output.
  std::string end() const { return tail_.text(); }

 private:
  void watch(OutputStream stream);
  void read(OutputStream stream);
  void take(OutputStream stream, std::string_view bytes);
  void write_unfinished_later();

  EventLoop& loop_;
  bool keeps_end_;
  Fd pipes_[2];  ///< by OutputStream
  std::unique_ptr<LogWriter> log_;
  std::optional<EventLoop::Timer> unfinished_;  ///< writes lines that have no newline yet
  OutputTail tail_;
};

}  // namespace kml::local
