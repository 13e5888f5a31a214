#pragma once

#include <csignal>
#include <initializer_list>
#include <optional>

#include "kml/base/files.h"

namespace kml {

/// While this object exists, it receives these signals, and they have no other effect. Leaves out signals
/// that the process ignores, such as SIGHUP under nohup.
class Signals {
 public:
  explicit Signals(std::initializer_list<int> signals);
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  /// Becomes readable when a signal arrives.
  int fd() const { return fd_.get(); }
  /// The next signal that has arrived.
  std::optional<int> next() const;

 private:
  sigset_t set_{}, before_{};
  Fd fd_;
};

/// Throws Error (interrupted) if SIGINT or SIGTERM has arrived while it was blocked, as in commands that read
/// signals from a descriptor. Meant for long work that does not check that descriptor. The signal can still
/// be read from the descriptor.
void throw_if_interrupted();

}  // namespace kml
