#pragma once

#include "kml/job/spec/setting.h"

namespace kml::spec {

/// If this process runs for an agent: throws usage Error if the setting makes kml read or mount a file or
/// folder that the agent may not read; see require_agents_file(). The user's own configuration is exempt.
void require_agents_files(const Setting& setting);

}  // namespace kml::spec
