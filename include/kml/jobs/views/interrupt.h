#pragma once

#include "kml/core/files.h"

namespace kml::jobs {

/// While one lives, Ctrl-C and SIGTERM do not end the process but are seen by check(), so that a command that
/// waits can say what goes on without it.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;

  /// Readable when a signal came: for Transport::wait.
  int fd() const { return fd_.get(); }
  /// Throws Error (interrupted) if a signal came.
  void check() const;

 private:
  Fd fd_;
};

}  // namespace kml::jobs
