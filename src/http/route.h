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

/// The proxy's URL as libcurl takes it, empty for none: the endpoint's own, else what HTTPS_PROXY (HTTP_PROXY
/// for plain http) and NO_PROXY say, read as Go's net/http reads them (golang.org/x/net/http/httpproxy), so
/// that kml goes the way kubectl goes. Throws usage Error if the URL has a scheme that kml cannot use.
std::string proxy_of(const Route& route);

/// Whether NO_PROXY names the host: "*", an address, a range as 10.0.0.0/8, a domain with those below it
/// (example.com), or only those below it (.example.com); each with ":port" where that counts too.
bool is_exempt(const std::string& no_proxy, const std::string& host, const std::string& port);

/// Whether the host is this machine, by name or address: never asked of the environment's proxy.
bool is_loopback(const std::string& host);

}  // namespace kml::http
