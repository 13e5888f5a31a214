#pragma once

#include <csignal>
#include <initializer_list>
#include <optional>

#include "kml/base/files.h"

namespace kml {

/// While the object exists, these signals are read here and have no other effect. Signals that the process
/// ignores, such as SIGHUP under nohup, are left out.
class Signals {
 public:
  explicit Signals(std::initializer_list<int> signals);
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  /// Becomes readable when one arrives.
  int fd() const { return fd_.get(); }
  /// The next that arrived.
  std::optional<int> next() const;

 private:
  sigset_t set_{}, before_{};
  Fd fd_;
};

/// Throws Error (interrupted) if SIGINT or SIGTERM has arrived and is blocked, as in commands that read them
/// from a descriptor. For long work that does not look at that descriptor; the signal stays there to be read.
void throw_if_interrupted();

}  // namespace kml
