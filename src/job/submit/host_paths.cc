#include "job/submit/host_paths.h"

#include "kml/base/agent.h"
#include "kml/job/packages/locked.h"

namespace kml::job {

namespace {

/// A PersistentVolume has a path of the host in `hostPath`, like a pod's volume, or in `local`.
void require_in(const Json& part) {
  if (!part.is_structured()) return;
  for (const char* source : {"hostPath", "local"})
    if (const std::string path = string_at(part, {source, "path"});
        !path.empty() && path != packages::environments_folder())
      require_agents_file(path);
  for (const Json& member : part) require_in(member);
}

}  // namespace

void require_agents_host_paths(const std::vector<Json>& objects) {
  if (!runs_for_agent()) return;
  for (const Json& object : objects) require_in(object);
}

}  // namespace kml::job
