#pragma once

#include <string>

#include "kml/http/transport.h"

namespace kml::http {

/// An endpoint taken apart and checked.
struct Route {
  Endpoint endpoint;
  bool tls = false;
  std::string socket;  ///< the file that a "unix:" URL names; then the rest but `server` is empty
  std::string host;    ///< an IPv6 address without its brackets
  std::string port;
  std::string path;    ///< "" or "/…", no trailing slash
  std::string server;  ///< "https://host:port" or "unix:/file": for messages, never with a user or password
  std::string proxy;   ///< as libcurl takes it; "" for none

  std::string host_and_port() const;  ///< with brackets where needed
};

/// Throws usage Error for a URL that is none, or has another scheme than https, http and unix, or holds a
/// password.
Route make_route(Endpoint endpoint);

}  // namespace kml::http
