#pragma once

#include <vector>

#include "kml/core/files.h"

namespace kml::jobs {

/// Sockets that listen on 127.0.0.1 and, if this machine has it, on ::1, at the same port.
struct Listeners {
  int port = 0;
  std::vector<Fd> sockets;
};

/// On any free port for 0. Throws Error if the port cannot be used.
Listeners listen_on_loopback(int port);

/// The next connection; empty if there is none.
Fd accept_from(const Fd& listener);

}  // namespace kml::jobs
