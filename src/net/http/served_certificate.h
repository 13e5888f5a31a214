#pragma once

#include <string>

#include "net/http/route.h"

namespace kml::http {

/// The certificate that a server presents, as PEM, without verifying it. Connects without sending a request
/// or a credential, and waits for at most 5 s. Empty on failure.
std::string served_certificate(const Route& route);

}  // namespace kml::http
