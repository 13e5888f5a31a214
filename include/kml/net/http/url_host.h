#pragma once

#include <string>

namespace kml::http {

/// The host in a URL, with its port but without the user: "hub.example:8080" of
/// "https://me:x@hub.example:8080/path".
std::string host_with_port(const std::string& url);

/// The host in a URL, without its port and without the user: "hub.example", or "[::1]".
std::string host_of(const std::string& url);

}  // namespace kml::http
