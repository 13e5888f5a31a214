#pragma once

#include <cstdint>

#include "local/http/http_message.h"

namespace kml::local {

/// Which moment a list is of: the revision that `resourceVersion` asks for with `resourceVersionMatch=Exact`;
/// else the current one, which is not older than any. Throws 400 or 422 for parameters that make no sense,
/// and 504 for a revision that has not come yet.
uint64_t requested_revision(const HttpRequest& request, uint64_t current);

}  // namespace kml::local
