#include "job/commands/kept_claims.h"

#include <algorithm>

#include "kml/job/views/kinds.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::cli {

namespace {

/// Whether kml has made up the name for a kept claim: "bert-data-x7f2q".
bool is_name_of_kept(const std::string& claim) {
  constexpr std::string_view kData = "-data-";
  constexpr size_t kSuffix = 5;
  const size_t at = claim.rfind(kData);
  return at != std::string::npos && claim.size() == at + kData.size() + kSuffix;
}

/// The path at which the pod's containers have the volume.
std::string path_of_volume(const Json& pod, const std::string& volume) {
  for (const Json& container : api::containers_of(pod))
    for (const Json& mount : api::mounts_of(container))
      if (api::entry_name(mount) == volume) return api::mount_path_of(mount);
  return "/PATH";
}

}  // namespace

std::vector<std::string> notes_on_kept_claims(const Json& job) {
  std::vector<std::string> notes;
  job::each_pod_template(job, [&](const Json& pod, int) {
    for (const Json& volume : api::volumes_in(api::spec_of(pod))) {
      const std::string claim = string_at(volume, {"persistentVolumeClaim", "claimName"});
      if (!is_name_of_kept(claim)) continue;
      std::string note = "claim " + claim + " stays, with its files: --mount pvc/" + claim + ":" +
                         path_of_volume(pod, api::entry_name(volume)) + " mounts it again";
      if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(std::move(note));
    }
  });
  return notes;
}

}  // namespace kml::cli
