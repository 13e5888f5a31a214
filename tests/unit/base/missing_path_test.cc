#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "kml/base/flag_duration.h"
#include "kml/base/missing_path.h"
#include "support/settings.h"
#include "support/temporary_folder.h"

namespace missing_path_test {

using namespace kml;
namespace fs = std::filesystem;

TEST_CASE("missing_path: the error about a file that cannot be read says why") {
  const TemporaryFolder temporary;
  const fs::path root = temporary.path();
  fs::create_directory(root / "folder.txt");
  std::ofstream(root / "train.txt") << "x";
  fs::create_symlink("nowhere", root / "broken.txt");
  fs::create_symlink("folder.txt", root / "link.txt");
  const auto text = [&](const char* name) {
    const Error error = not_a_file(root / name, name);
    return std::string(error.what()) + "; " + error.why + "; " + error.fix;
  };
  CHECK(text("folder.txt") == "cannot read folder.txt; it is a folder; name a file in it");
  CHECK(text("link.txt") == "cannot read link.txt; it is a folder; name a file in it");
  CHECK(text("broken.txt") == "cannot read broken.txt; it does not exist; " + (root / "broken.txt").string() +
                                  " is a link to nowhere, which does not exist");
  CHECK(text("broken.txt/x") == "cannot read broken.txt/x; it does not exist; " +
                                    (root / "broken.txt").string() +
                                    " is a link to nowhere, which does not exist");
  CHECK(text("trian.txt").find("did you mean \"train.txt\"?") != std::string::npos);
  CHECK(std::string(not_a_folder(root / "broken.txt").fix).find("is a link to nowhere") != std::string::npos);
}

TEST_CASE("missing_path: the error about a path that cannot be looked up gives the reason") {
  const TemporaryFolder temporary;
  const fs::path closed = temporary.path() / "closed", loop = temporary.path() / "loop";
  fs::create_directory(closed);
  fs::create_symlink("loop", loop);
  CHECK(not_a_file(loop, "loop").why == "Too many levels of symbolic links");
  CHECK(not_a_folder(loop / "x").why == "Too many levels of symbolic links");
  CHECK(not_a_file(closed / std::string(300, 'x'), "x").why == "File name too long");
  CHECK(not_a_file(closed / "x", "x").why == "it does not exist");
  CHECK_FALSE(fault_of_path(closed).has_value());
  if (::geteuid() == 0) return;  // root may enter every folder
  fs::permissions(closed, fs::perms::none);
  for (const Error& error : {not_a_file(closed / "x", "x"), not_a_folder(closed / "x" / "y")}) {
    CHECK(error.why == "Permission denied");
    CHECK(error.fix == "see who may enter the folder: ls -ld " + closed.string());
  }
  fs::permissions(closed, fs::perms::owner_all);
}

TEST_CASE("flag_duration: a number needs a unit") {
  using std::chrono::seconds;
  for (const auto& [text, age] :
       {std::pair{"30d", 30 * 86400}, {"1h30m", 5400}, {"90s", 90}, {"0", 0}, {"0s", 0}})
    CHECK(duration_in_flag(text, "--keep") == seconds(age));
  for (const char* text : {"30", "1h30", "", "x", "-1d", "30w", "d"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(duration_in_flag(text, "--keep"), Error);
  }
}

}  // namespace missing_path_test
