#pragma once

#include <string_view>

#include "kml/api/resource.h"
#include "kml/core/json.h"

namespace kml::local {

/// The object with a patch applied: RFC 7386 for "application/merge-patch+json", RFC 6902 for
/// "application/json-patch+json", and a strategic merge but for custom resources. Throws 415 for other types
/// (apply), 400 for a patch that is none, 422 for one that does not fit the object.
Json patched(const api::ResourceKind& kind, Json object, std::string_view content_type,
             std::string_view patch);

}  // namespace kml::local
