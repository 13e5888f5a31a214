#include "pipeline/trees/manifest_lines.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/pipeline/store/store.h"
#include "pipeline/trees/tree_writer.h"
#include "support/temporary_folder.h"

namespace manifest_lines_test {

using namespace kml;
using namespace kml::pipeline;
namespace fs = std::filesystem;

TEST_CASE("manifest lines: describe exactly what is in a real tree") {
  const TemporaryFolder folder;
  const fs::path tree = folder.path() / "tree";
  fs::create_directories(tree / "empty");
  // A quote, a line break, a byte that is not UTF-8, and a backslash before text that looks like such a byte.
  const std::string odd = "a\"b\n\xff\\udc41\u1234";
  write_file_atomically(tree / odd, "12345", 0755);
  fs::create_symlink(odd, tree / "link");
  const std::vector<ManifestLine> lines = manifest_lines(manifest_of(tree).text);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].path == odd);
  CHECK(lines[0].is_executable);
  CHECK(lines[0].bytes == 5);
  CHECK(lines[1].kind == ManifestLine::Kind::folder);
  CHECK(lines[1].path == "empty");
  CHECK(lines[2].kind == ManifestLine::Kind::link);
  CHECK(lines[2].target == odd);
}

TEST_CASE("manifest lines: nothing leads out of the tree, and damaged lines are rejected") {
  const std::string digest(64, 'a');
  CHECK(manifest_lines("\".\" 644 1 " + digest + "\n").at(0).path == ".");
  for (const std::string& text :
       {"\"../x\" 644 1 " + digest + "\n", "\"/x\" 644 1 " + digest + "\n",
        "\"a/../../x\" 644 1 " + digest + "\n", "\"a\\u0000\" 644 1 " + digest + "\n",
        "\"a\" 777 1 " + digest + "\n", "\"a\" 644 -1 " + digest + "\n",
        "\"a\" 644 1 " + digest.substr(1) + "\n", "\"a\" 644 1 " + digest, "\"a 644 1 " + digest + "\n",
        std::string("\"../x/\"\n"), std::string("\"../l\" -> \"x\"\n"), std::string("\"l\" -> \"x\" y\n"),
        std::string("a\n"), std::string("\n"), std::string("\"a\"\n"), std::string("\"\\udcz\"\n")})
    CHECK_THROWS_AS_MESSAGE(manifest_lines(text), Error, text);
}

TEST_CASE("tree writer: a manifest whose paths lead through a link writes nothing at all") {
  const TemporaryFolder folder;
  const fs::path victim = folder.path() / "victim", root = folder.path() / "store" / "tree";
  fs::create_directory(victim);
  const std::string to_victim = " -> \"" + victim.string() + "\"\n",
                    file = "\" 644 1 " + std::string(64, 'a') + "\n";
  for (const std::string& text :
       {"\"a\"" + to_victim + "\"a/.ssh/keys\" -> \"x\"\n", "\"a/b\" -> \"x\"\n\"a\"" + to_victim,
        "\"a\"" + to_victim + "\"a/b" + file, "\"a\"" + to_victim + "\"a/b/\"\n",
        "\"a" + file + "\"a/b" + file, "\".\"" + to_victim + "\"b" + file, "\".\"" + to_victim,
        "\"a\"" + to_victim, "\"a\"" + to_victim + "\"a" + file,
        std::string("\"here\" -> \".\"\n\"out\" -> \"here/../../victim\"\n")}) {
    const std::vector<ManifestLine> lines = manifest_lines(text);
    CHECK_THROWS_AS_MESSAGE(TreeWriter(root, lines, Links::inside), Error, text);
    CHECK(fs::is_empty(victim));
    CHECK_FALSE(fs::exists(root.parent_path()));
  }
  const std::vector<ManifestLine> sound = manifest_lines("\"a/b" + file + "\"a/c\" -> \"b\"\n\"d/\"\n");
  fs::create_directories(root);
  fs::permissions(
      root,
      fs::perms::owner_all);  // stands for another user's folder, whose mode only its owner may change
  TreeWriter writer(root, sound, Links::inside);
  CHECK(fs::status(root).permissions() == fs::perms::owner_all);
  REQUIRE(writer.new_file(sound[0]));
  writer.make_links();
  CHECK(fs::equivalent(root / "a/b", root / "a/c"));
  CHECK(fs::is_directory(root / "d"));
}

TEST_CASE("store: a tree from elsewhere is stored completely, or not at all") {
  const TemporaryFolder folder;
  const LocalStore store(folder.path() / "store");
  const auto write = [](const fs::path& place) { write_file_atomically(place, "content", 0644); };
  write(folder.path() / "made");
  const std::string digest = manifest_of(folder.path() / "made").tree.digest;
  const fs::path path = store.shared_path(digest, "data");
  try {
    store.take_over(path, std::string(64, '0'), write);
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.reason == kTreeDiffers);
  }
  CHECK(fs::is_empty(path.parent_path()));
  store.take_over(path, digest, write);
  CHECK(store.has(path, digest));
  CHECK(store.find_manifest(digest) == manifest_of(path).text);
  CHECK(!store.find_manifest(std::string(64, '0')));
  // The second time, an existing file with the right permissions stays.
  const auto inode = [&] {
    struct stat at {};
    ::stat(path.c_str(), &at);
    return at.st_ino;
  };
  const auto before = inode();
  store.take_over(path, digest, write);
  CHECK(inode() == before);
}

}  // namespace manifest_lines_test
