#pragma once

#include <chrono>

#include "kml/base/files.h"

namespace kml::job {

/// While this object exists, Ctrl-C and SIGTERM do not end the process, but check() reports them. This allows
/// a waiting command to print what continues without it.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;

  /// Becomes readable when a signal arrives; for Transport::wait.
  int fd() const { return fd_.get(); }
  /// Throws Error (interrupted) if a signal has arrived.
  void check() const;
  /// Waits for this time. Throws Error (interrupted) as soon as a signal arrives.
  void pause(std::chrono::milliseconds time) const;

 private:
  Fd fd_;
};

}  // namespace kml::job
