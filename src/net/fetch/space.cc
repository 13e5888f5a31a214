#include "net/fetch/space.h"

#include <sys/statvfs.h>

#include <algorithm>

#include "kml/base/beneath.h"
#include "kml/base/error.h"
#include "kml/base/text.h"

namespace kml::fetch {

std::uintmax_t bytes_missing(const std::filesystem::path& folder, const std::string& path,
                             std::uintmax_t size) {
  const std::filesystem::path file = folder / path;
  std::error_code none;
  const std::uintmax_t there =
      std::filesystem::file_size(file.parent_path() / part_name(file.filename().string()), none);
  return none ? size : size - std::min(size, there);
}

void require_space(const std::filesystem::path& folder, std::uintmax_t bytes, const std::string& what) {
  struct statvfs volume {};
  if (::statvfs(folder.c_str(), &volume) != 0 || volume.f_blocks == 0)
    return;  // the file system does not report its size
  const std::uintmax_t free = std::uintmax_t{volume.f_bavail} * volume.f_frsize;
  if (bytes <= free) return;
  throw Error(ErrorCode::failure, "no space for " + what,
              "it needs " + size_text(bytes) + ", and the volume has " + size_text(free) + " free",
              "use a larger claim, or delete data that jobs no longer use: kml gc --data-store pvc/NAME");
}

}  // namespace kml::fetch
