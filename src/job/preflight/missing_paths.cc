#include "job/preflight/missing_paths.h"

#include <filesystem>
#include <set>

#include "kml/base/missing_path.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::job {

std::vector<Error> missing_paths(const std::vector<Json>& objects) {
  std::set<std::string> paths;
  for (const Json& object : objects)
    each_pod_template(object, [&](const Json& pod, int) {
      for (const Json& volume : api::volumes_in(api::spec_of(pod))) {
        const std::string path = string_at(volume, {"hostPath", "path"});
        const bool is_made_by_server = string_at(volume, {"hostPath", "type"}).ends_with("OrCreate");
        if (!path.empty() && !is_made_by_server) paths.insert(path);
      }
    });
  std::vector<Error> errors;
  std::error_code fault;
  for (const std::string& path : paths)
    if (std::filesystem::status(path, fault).type() == std::filesystem::file_type::not_found)
      errors.emplace_back(ErrorCode::failure, path + " does not exist on this machine",
                          "the pods could not start without it", fix_for_missing(path));
  return errors;
}

}  // namespace kml::job
