#pragma once

#include <vector>

#include "kml/base/json.h"

namespace kml::job {

/// Throws usage Error if this process runs for an agent, and a part of the objects mounts a folder of the
/// host that the agent may not read; see require_agents_file(). Also throws usage Error for pods that could
/// read the whole host without a mount. The folder with kml's own environments of packages is allowed.
void require_agents_host_paths(const std::vector<Json>& objects);

}  // namespace kml::job
