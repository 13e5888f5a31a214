#pragma once

#include <string>

#include "http/route.h"

namespace kml::http {

/// The proxy's URL as libcurl takes it, empty for none: the endpoint's own, else what HTTPS_PROXY (HTTP_PROXY
/// for plain http) and NO_PROXY say, read as Go's net/http reads them (golang.org/x/net/http/httpproxy), so
/// that kml goes the way kubectl goes. Throws usage Error where the URL has a scheme that kml cannot use.
std::string proxy_of(const Route& route);

/// Whether NO_PROXY names the host: "*", an address, a range as 10.0.0.0/8, a domain with those below it
/// (example.com), or only those below it (.example.com); each with ":port" where that counts too.
bool is_exempt(const std::string& no_proxy, const std::string& host, const std::string& port);

/// Whether the host is this machine, by name or address: never asked of the environment's proxy.
bool is_loopback(const std::string& host);

}  // namespace kml::http
