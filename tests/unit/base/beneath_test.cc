#include "kml/base/beneath.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <iterator>
#include <string>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "support/temporary_folder.h"

namespace beneath_test {

using namespace kml;
namespace fs = std::filesystem;

namespace {

struct Fixture {
  TemporaryFolder folder;
  fs::path root = folder.path() / "target";
  Fixture() { fs::create_directories(root); }

  void write(Beneath& beneath, const std::string& path, const std::string& text) {
    const Fd part = beneath.open_part(path);
    CHECK(::write(part.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    beneath.complete(path, 0640, 1700000000);
  }
};

}  // namespace

TEST_CASE("beneath: paths and links that lead out of their tree are rejected") {
  for (const char* path : {"a", "a/b", "..a", "a..", "...", "-x", "a b/\n"}) CHECK(is_path_beneath(path));
  for (const char* path : {"", "/", "/a", "a/", "a//b", ".", "..", "../a", "a/../b", "a/.", "a/.."})
    CHECK_FALSE(is_path_beneath(path));
  CHECK_FALSE(is_path_beneath(std::string_view("a\0b", 3)));
  CHECK(is_link_beneath("l", "a"));
  CHECK(is_link_beneath("l", "./a/b"));
  CHECK(is_link_beneath("d/l", "../a"));
  CHECK_FALSE(is_link_beneath("l", "/etc"));
  CHECK_FALSE(is_link_beneath("l", ".."));
  CHECK_FALSE(is_link_beneath("d/l", "../../a"));
  CHECK_FALSE(is_link_beneath("l", ""));
  // This path goes down as often as up, but leads out of the folder if d is a link to ".".
  CHECK_FALSE(is_link_beneath("l", "d/d/../.."));
}

TEST_CASE("beneath: the temporary name of a partial file fits, however long the file's name is") {
  CHECK(part_name("model.pt") == ".model.pt.kml-part");
  const std::string one(255, 'a'), other = std::string(254, 'a') + "b";
  CHECK(part_name(one).size() <= 255);
  CHECK(part_name(one) != part_name(other));
}

TEST_CASE_FIXTURE(Fixture,
                  "beneath: a file is created with its text, mode and time, and only if its name is free") {
  Beneath beneath(root);
  beneath.make_folder("d");
  if (!beneath.create("d/file", "text", 0640, 1700000000)) {
    MESSAGE("this file system has no files without a name");
    return;
  }
  CHECK(read_file(root / "d/file") == "text");
  struct stat at {};
  REQUIRE(::stat((root / "d/file").c_str(), &at) == 0);
  CHECK((at.st_mode & 0777) == 0640);
  CHECK(at.st_mtim.tv_sec == 1700000000);
  fs::create_symlink(folder.path() / "outside", root / "link");
  for (const char* taken : {"d/file", "link", "d"}) CHECK_FALSE(beneath.create(taken, "new", 0600, 0));
  CHECK(read_file(root / "d/file") == "text");
  CHECK_FALSE(fs::exists(folder.path() / "outside"));
  CHECK_THROWS_AS(beneath.create("../outside", "x", 0600, 0), Error);
  CHECK_THROWS_AS(beneath.create("link/x", "x", 0600, 0), Error);
  CHECK(std::distance(fs::recursive_directory_iterator(root), {}) == 3);
}

TEST_CASE_FIXTURE(Fixture, "beneath: a file appears only once it is complete, with its mode and time") {
  Beneath beneath(root);
  beneath.make_folder("d");
  beneath.make_folder("d");
  { const Fd part = beneath.open_part("d/file"); }
  CHECK_FALSE(fs::exists(root / "d/file"));
  write(beneath, "d/file", "text");
  CHECK(read_file(root / "d/file") == "text");
  CHECK_FALSE(fs::exists(root / "d/.file.kml-part"));
  struct stat at {};
  REQUIRE(::stat((root / "d/file").c_str(), &at) == 0);
  CHECK((at.st_mode & 07777) == 0640);
  CHECK(at.st_mtime == 1700000000);
}

TEST_CASE_FIXTURE(Fixture, "beneath: nothing is written outside the tree") {
  fs::create_directories(folder.path() / "outside");
  fs::create_directory_symlink("../outside", root / "link");
  fs::create_symlink("../outside/file", root / ".file.kml-part");
  fs::create_symlink("../outside/file", root / "file");
  Beneath beneath(root);
  CHECK_THROWS_AS(beneath.open_part("../outside/x"), Error);
  CHECK_THROWS_AS(beneath.open_part("/tmp/x"), Error);
  CHECK_THROWS_AS(beneath.open_part("link/x"), Error);
  CHECK_THROWS_AS(beneath.make_folder("link"), Error);
  CHECK_THROWS_AS(beneath.make_folder("link/x"), Error);
  CHECK_THROWS_AS(beneath.make_link("link/x", "y"), Error);
  CHECK_THROWS_AS(beneath.set_folder_mode("link", 0777), Error);
  CHECK_THROWS_AS(beneath.open_part("file"), Error);
  fs::remove(root / ".file.kml-part");
  write(beneath, "file", "text");  // replaces the link
  CHECK_FALSE(fs::is_symlink(root / "file"));
  CHECK(fs::is_empty(folder.path() / "outside"));
}

TEST_CASE_FIXTURE(Fixture,
                  "beneath: in a folder that many users share, another user's partial file is not used") {
  if (::geteuid() != 0) return;  // only root can make a file of another user
  const uid_t other = 65534;
  Beneath beneath(root);
  write_file_atomically(root / ".file.kml-part", "");
  REQUIRE(::chown((root / ".file.kml-part").c_str(), other, other) == 0);
  CHECK(beneath.open_part("file"));
  REQUIRE(::chmod(root.c_str(), 0777) == 0);
  CHECK_THROWS_AS(beneath.open_part("file"), Error);
}

TEST_CASE_FIXTURE(Fixture, "beneath: a partial file keeps what an earlier attempt has written") {
  Beneath beneath(root);
  {
    const Fd part = beneath.open_part("file");
    CHECK(::write(part.get(), "abc", 3) == 3);
  }
  CHECK(::lseek(beneath.open_part("file").get(), 0, SEEK_END) == 3);
  beneath.remove_part("file");
  CHECK(::lseek(beneath.open_part("file").get(), 0, SEEK_END) == 0);
}

}  // namespace beneath_test
