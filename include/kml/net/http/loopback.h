#pragma once

#include <string>

namespace kml::http {

/// Whether the host of an endpoint's URL is this machine: localhost, 127.0.0.0/8 or ::1. Throws usage Error
/// if the URL is invalid.
bool is_loopback_url(const std::string& url);

}  // namespace kml::http
