#include "kml/base/written_path.h"

#include <sys/stat.h>

#include <algorithm>
#include <system_error>

#include "kml/base/system_calls.h"

namespace kml {

namespace {

namespace fs = std::filesystem;

Time last_written(const fs::path& path) {
  struct stat at {};
  if (::lstat(path.c_str(), &at) != 0) return {};
  Time last = modification_time(at);
  if (!S_ISDIR(at.st_mode)) return last;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(path, ignored))
    last = std::max(last, last_written(entry.path()));
  return last;
}

}  // namespace

std::string not_written(const fs::path& path, Time began) {
  constexpr std::chrono::seconds kClockSlack{1};  // allows for file systems whose times are imprecise
  const Time written = last_written(path);
  if (written == Time{}) return "nothing exists at " + path.string();
  return written + kClockSlack < began ? path.string() + " is older than the job" : std::string();
}

}  // namespace kml
