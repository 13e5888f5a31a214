#pragma once

#include <string>
#include <vector>

#include "kml/base/json.h"

namespace kml::cli {

/// Notes about the claims of `kml submit --mount new/SIZE:/PATH --keep`, which stay when the job is deleted.
std::vector<std::string> notes_on_kept_claims(const Json& job);

}  // namespace kml::cli
