#pragma once

#include <string>

#include "kml/net/http/transport.h"

namespace kml::http {

/// A parsed and checked endpoint.
struct Route {
  Endpoint endpoint;
  bool tls = false;
  std::string socket;  ///< the file of a "unix:" URL; then all other fields except `server` are empty
  std::string host;    ///< an IPv6 address without its brackets
  std::string port;
  std::string path;    ///< "" or "/…", no trailing slash
  std::string server;  ///< "https://host:port" or "unix:/file", for messages; never with a user or password
  std::string proxy;   ///< for libcurl; "" for none

  std::string host_and_port() const;  ///< with brackets if needed
};

/// Throws usage Error for a URL that is invalid, has a scheme other than https, http and unix, or contains a
/// password.
Route make_route(Endpoint endpoint);

/// The headers of the endpoint and of the request, and the credential, which is never sent over unencrypted
/// TCP.
Headers headers_of(const Route& route, const Request& request);

/// The proxy's URL for libcurl; empty for none. Uses the endpoint's own proxy, otherwise HTTPS_PROXY
/// (HTTP_PROXY for plain http) and NO_PROXY with the rules of Go's net/http
/// (golang.org/x/net/http/httpproxy), so that kml uses the same proxy as kubectl. Throws usage Error if kml
/// does not support the URL's scheme.
std::string proxy_of(const Route& route);

/// Whether NO_PROXY matches the host: "*", an address, a range such as 10.0.0.0/8, a domain and its
/// subdomains (example.com), or only its subdomains (.example.com); each optionally with ":port".
bool is_exempt(const std::string& no_proxy, const std::string& host, const std::string& port);

/// Whether the host is this machine, by name or address. The environment's proxy is never used for it.
bool is_loopback(const std::string& host);

}  // namespace kml::http
