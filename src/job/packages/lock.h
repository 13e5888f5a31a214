#pragma once

#include <string>

#include "job/packages/requested.h"
#include "job/packages/uv.h"

namespace kml::packages {

/// The lock for the requested packages. It stays the same on this machine until the request changes, so that
/// later jobs find the environments of earlier ones.
std::string lock_of(const Requested& requested, const std::string& python, const Uv& uv);

/// Makes lock_of() ask uv again. The locks stay, because reruns need them. Returns how many requests it
/// forgot.
size_t forget_requests();

}  // namespace kml::packages
