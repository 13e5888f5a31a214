#pragma once

#include <string>

#include "kml/net/http/transport.h"

namespace kml::http {

/// A parsed and checked endpoint.
struct Route {
  Endpoint endpoint;
  bool tls = false;
  std::string
      socket;        ///< the file in a "unix:" URL; then all members except `endpoint` and `server` are empty
  std::string host;  ///< without the brackets of an IPv6 address
  std::string port;
  std::string path;  ///< "", or "/…" without a slash at the end
  /// "https://host:port" or "unix:/file", for messages; never includes a user or a password
  std::string server;
  std::string proxy;  ///< the proxy for libcurl; "" means none

  std::string host_and_port() const;  ///< The host and the port, with brackets if needed.
};

/// Throws usage Error if a URL is invalid, has a scheme other than https, http and unix, or contains a user
/// or a password.
Route make_route(Endpoint endpoint);

/// The headers of the endpoint and of the request, and the credential. The credential is never sent over
/// unencrypted TCP.
Headers headers_of(const Route& route, const Request& request);

/// The proxy's URL for libcurl; empty if there is none. Uses the endpoint's own proxy, otherwise HTTPS_PROXY
/// (HTTP_PROXY for plain http) and NO_PROXY. Follows the rules of Go's net/http
/// (golang.org/x/net/http/httpproxy), so that kml uses the same proxy as kubectl. Throws usage Error if kml
/// does not support the URL's scheme.
std::string proxy_of(const Route& route);

/// Whether NO_PROXY matches the host. NO_PROXY may contain "*", an address, a range such as 10.0.0.0/8, a
/// domain with its subdomains (example.com), or only the subdomains (.example.com). A ":port" may follow an
/// address or a domain.
bool is_exempt(const std::string& no_proxy, const std::string& host, const std::string& port);

/// Whether the host, a name or an address, is this machine. The environment's proxy is never used for this
/// machine.
bool is_loopback(const std::string& host);

}  // namespace kml::http
