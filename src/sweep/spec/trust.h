#pragma once

#include "kml/base/json.h"
#include "kml/job/spec/config.h"

namespace kml::sweep {

/// Throws usage Error if the trials, of which this is the manifest, use objects that need the user's trust,
/// unless the user trusts the sweep's file: it may have come with a folder from someone else.
void require_trust(const spec::ProjectFile& file, const Json& trial);

}  // namespace kml::sweep
