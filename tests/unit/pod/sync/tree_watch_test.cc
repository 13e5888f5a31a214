#include "pod/sync/tree_watch.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "kml/base/ready_files.h"
#include "kml/job/submit/code.h"
#include "support/temporary_folder.h"

namespace tree_watch_test {

using namespace kml;
using namespace kml::job;
using namespace kml::pod;
namespace fs = std::filesystem;

namespace {

struct Fixture {
  TemporaryFolder temporary;
  fs::path root = temporary.path();
  TreeWatch watch{root};

  void write(const std::string& name) { std::ofstream(root / name) << "x"; }
};

}  // namespace

TEST_CASE_FIXTURE(Fixture, "tree watch: returns the names of changed files, in covered folders only") {
  fs::create_directories(root / "src");
  fs::create_directories(root / "data");
  write("src/kept");
  watch.cover({"", "src"});
  CHECK_FALSE(is_readable(watch.fd()));
  write("train.py");
  write("src/kept");
  write("data/set");
  CHECK(is_readable(watch.fd()));
  TreeWatch::Changes changes = watch.take();
  CHECK(changes.names == std::set<std::string>{"src/kept", "train.py"});
  CHECK_FALSE(changes.has_new_folders);
  fs::remove(root / "src/kept");
  fs::permissions(root / "train.py", fs::perms::owner_all);
  changes = watch.take();
  CHECK(changes.names == std::set<std::string>{"src/kept", "train.py"});
  CHECK(watch.take().names.empty());
}

TEST_CASE_FIXTURE(Fixture, "tree watch: a new folder must be covered, and a moved one again") {
  watch.cover({""});
  fs::create_directory(root / "a");
  CHECK(watch.take().has_new_folders);
  watch.cover({"", "a"});
  write("a/x");
  CHECK(watch.take().names == std::set<std::string>{"a/x"});
  fs::rename(root / "a", root / "b");
  CHECK(watch.take().has_new_folders);
  write("b/y");
  CHECK(watch.take().names.empty());
  watch.cover({"", "b"});
  write("b/x");
  CHECK(watch.take().names == std::set<std::string>{"b/x"});
}

TEST_CASE_FIXTURE(Fixture, "tree watch: a folder that is gone is not an error") {
  watch.cover({"", "gone"});
  write("x");
  CHECK(watch.take().names == std::set<std::string>{"x"});
}

TEST_CASE_FIXTURE(Fixture, "code folders: are listed without caches, links and their contents") {
  for (const char* folder : {"src/deep", ".venv/lib", "node_modules/x", "src/__pycache__"})
    fs::create_directories(root / folder);
  fs::create_directory_symlink(root / "src", root / "link");
  CHECK(code_folders(root) == std::vector<std::string>{"", "src", "src/deep"});
}

}  // namespace tree_watch_test
