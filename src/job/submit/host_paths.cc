#include "job/submit/host_paths.h"

#include <algorithm>

#include "kml/base/agent.h"
#include "kml/base/error.h"
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

/// Whether a pod could read all files of its node without mounting them.
bool opens_node(const Json& part) {
  if (!part.is_structured()) return false;
  for (const char* field : {"privileged", "hostPID"})
    if (bool_at(part, {field})) return true;
  return std::any_of(part.begin(), part.end(), opens_node);
}

void refuse_open_node(const Json& object) {
  if (!opens_node(object)) return;
  Error error = usage_error("kml mcp does not run privileged pods, or pods that see the node's processes",
                            "they could read all files of the node", "ask the user to submit the job");
  error.reason = kRefusedToAgent;
  throw error;
}

}  // namespace

void require_agents_host_paths(const std::vector<Json>& objects) {
  if (!runs_for_agent()) return;
  for (const Json& object : objects) {
    require_in(object);
    refuse_open_node(object);
  }
}

}  // namespace kml::job
