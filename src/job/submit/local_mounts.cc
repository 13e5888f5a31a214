#include "job/submit/local_mounts.h"

#include "kml/base/error.h"

namespace kml::job {

namespace {

Error not_here(const spec::Mount& mount, const std::string& source, const std::string& why,
               const std::string& fix) {
  return usage_error("--mount " + source + ":" + mount.path + " is not possible on this machine", why,
                     fix + ", then: --mount ./DIR:" + mount.path + "; or use a cluster: --context NAME");
}

}  // namespace

void require_local_mounts(const std::vector<spec::Mount>& mounts) {
  for (const spec::Mount& mount : mounts) {
    if (mount.kind == spec::Mount::Kind::nfs)
      throw not_here(mount, "nfs/" + mount.source + mount.sub_path,
                     "the embedded server cannot mount a file server",
                     "mount " + mount.source + ":" + mount.sub_path + " in a folder on this machine");
    if (mount.kind == spec::Mount::Kind::image)
      throw not_here(mount, "image/" + mount.source,
                     "the embedded server runs processes on this machine, without images",
                     "put the image's files into a folder");
  }
}

}  // namespace kml::job
