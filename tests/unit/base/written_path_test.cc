#include "kml/base/written_path.h"

#include <doctest/doctest.h>

#include "kml/base/files.h"
#include "support/temporary_folder.h"

namespace written_path_test {

using namespace kml;
namespace fs = std::filesystem;

TEST_CASE("written_path: a folder is as new as the newest file in it") {
  const TemporaryFolder temporary;
  const fs::path folder = temporary.path() / "out", file = folder / "deep/file";
  const Time began = system_clock().now();
  CHECK(not_written(folder, began) == "nothing exists at " + folder.string());
  fs::create_directories(file.parent_path());
  write_file_atomically(file, "text");
  CHECK(not_written(folder, began).empty());
  const auto early = fs::file_time_type::clock::now() - std::chrono::hours(1);
  for (const fs::path& path : {folder, file.parent_path()}) fs::last_write_time(path, early);
  CHECK(not_written(folder, began).empty());
  fs::last_write_time(file, early);
  CHECK(not_written(folder, began) == folder.string() + " is older than the job");
  CHECK(not_written(folder, began - std::chrono::hours(2)).empty());
}

TEST_CASE("written_path: a broken link is treated as existing") {
  const TemporaryFolder temporary;
  fs::create_symlink("nowhere", temporary.path() / "link");
  CHECK(not_written(temporary.path() / "link", system_clock().now()).empty());
}

}  // namespace written_path_test
