#pragma once

#include <functional>
#include <string>

#include "job/packages/requested.h"

namespace kml::packages {

/// The lock for the requested packages and `target`, for example a version of Python. This is the lock of an
/// earlier call or, if there is none, the result of `find`. It stays the same on this machine until the
/// request or the user's settings for uv change, or forget_requests() is called, so that later jobs find the
/// environments of earlier ones.
std::string lock_of(const Requested& requested, const std::string& target,
                    const std::function<std::string()>& find);

/// Makes lock_of() choose versions again, by deleting its records of earlier requests. The locks stay,
/// because reruns need them. Returns the number of deleted records.
size_t forget_requests();

}  // namespace kml::packages
