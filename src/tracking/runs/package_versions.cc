#include "tracking/runs/package_versions.h"

#include "kml/job/packages/locked.h"

namespace kml::tracking {

void add_package_versions(std::vector<TrackedRun>& runs) {
  for (TrackedRun& run : runs) {
    const auto digest = run.facts.find("packages");
    if (digest == run.facts.end()) continue;
    const auto lock = packages::read_lock(digest->second);
    if (!lock) continue;
    for (const auto& [name, version] : packages::versions_in(*lock)) run.facts["package " + name] = version;
  }
}

}  // namespace kml::tracking
