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

/// Copies what a container's program prints from its pipes to its log. Writes an incomplete line after a
/// moment, so that progress bars can be seen.
class ContainerOutput {
 public:
  /// If `keeps_end`, keeps the end of the output for end().
  ContainerOutput(EventLoop& loop, bool keeps_end) : loop_(loop), keeps_end_(keeps_end) {}

  /// Starts the log for a new run.
  void begin(const std::filesystem::path& folder, int run, const LogLimits& limits);
  /// The ends of the new pipes that the program writes to.
  struct Writers {
    Fd out, err;
  };
  /// Call this when no pipe is open. Throws Error if no pipe can be created.
  Writers open();
  /// Adds a line from the shim itself to the program's output.
  void say(const std::string& line);
  /// Closes the pipes if the program could not be started.
  void drop();
  /// Reads what is left in the pipes, closes them, and ends the log. If other processes still have the pipes
  /// open, the container ends anyway.
  void finish();

  /// The last part of this run's output.
  std::string end() const { return tail_.text(); }

 private:
  void watch(OutputStream stream);
  void read(OutputStream stream);
  void take(OutputStream stream, std::string_view bytes);
  void read_rest(OutputStream stream);
  void write_unfinished_later();

  EventLoop& loop_;
  bool keeps_end_;
  Fd pipes_[2];  ///< by OutputStream
  std::unique_ptr<LogWriter> log_;
  std::optional<EventLoop::Timer> unfinished_;  ///< when the timer expires, incomplete lines are written
  OutputTail tail_;
};

}  // namespace kml::local
