#include "kml/base/archive.h"

#include <doctest/doctest.h>

#include "kml/base/files.h"
#include "kml/base/process.h"
#include "support/temporary_folder.h"

namespace archive_test {

using namespace kml;

namespace {

std::string example() {
  Archive archive;
  archive.add_file("run.sh", "#!/bin/sh\n", true);
  archive.add_file("data/" + std::string(150, 'n') + ".txt", std::string(70'000, 'x') + "end", false);
  archive.add_link("link", "run.sh");
  archive.add_file("empty", "", false);
  return archive.finish();
}

}  // namespace

TEST_CASE("archive: tar unpacks the archive, including long names, modes and links") {
  TemporaryFolder folder;
  write_file_atomically(folder.path() / "a.tgz", example());
  REQUIRE(run_process({"tar", "-xzf", "a.tgz"}, {.folder = folder.path()}).exit_code == 0);
  CHECK(read_file(folder.path() / "link") == "#!/bin/sh\n");
  CHECK(std::filesystem::is_symlink(folder.path() / "link"));
  CHECK(read_file(folder.path() / "data" / (std::string(150, 'n') + ".txt")).ends_with("xend"));
  CHECK(std::filesystem::file_size(folder.path() / "empty") == 0);
  using perms = std::filesystem::perms;
  CHECK((status(folder.path() / "run.sh").permissions() & perms::owner_exec) != perms::none);
  CHECK((status(folder.path() / "empty").permissions() & perms::owner_exec) == perms::none);
}

TEST_CASE("archive: the same files give the same bytes") {
  CHECK(example() == example());
  CHECK(example().substr(4, 4) == std::string(4, '\0'));  // these bytes are the time in gzip's header
}

}  // namespace archive_test
