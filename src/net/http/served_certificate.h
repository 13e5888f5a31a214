#pragma once

#include <string>

#include "net/http/route.h"

namespace kml::http {

/// The certificate that a server presents, as PEM, without verifying it: connects without sending a request
/// or a credential, for 5 s at most. Empty on failure.
std::string served_certificate(const Route& route);

}  // namespace kml::http
