#pragma once

#include <vector>

#include "kml/base/files.h"

namespace kml::pod {

/// Sockets that listen on the same port of 127.0.0.1 and, if this machine has it, of ::1.
struct Listeners {
  int port = 0;
  std::vector<Fd> sockets;
};

/// Listens on `port`; if it is 0, on any free port. Throws Error if the port cannot be used.
Listeners listen_on_loopback(int port);

/// Accepts the next connection; empty if no client is waiting.
Fd accept_from(const Fd& listener);

}  // namespace kml::pod
