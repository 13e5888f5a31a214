#pragma once

#include "kml/base/json.h"
#include "kml/job/spec/config.h"

namespace kml::sweep {

/// Throws usage Error if the trials (`trial` is their manifest) use objects for which the user's trust is
/// needed, unless the user trusts the sweep file. Someone else may have written the file.
void require_trust(const spec::ProjectFile& file, const Json& trial);

}  // namespace kml::sweep
