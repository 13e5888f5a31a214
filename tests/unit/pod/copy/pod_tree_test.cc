#include "pod/copy/pod_tree.h"

#include <doctest/doctest.h>

#include <string>

#include "pod/copy/local_tree.h"

namespace pod_tree_test {

using namespace kml;
using namespace kml::pod;
using Kind = CopyEntry::Kind;

namespace {

std::string operator""_z(const char* text, size_t size) {
  return {text, size};
}

}  // namespace

TEST_CASE("pod tree: a folder is listed in batches, with any names") {
  const PodTree tree = parse_pod_tree(
      "folder\n2\n41ed 4096 10\n81a0 5 1700000000\n.\0./a\nb\0"
      "1\na1ff 3 0\n./l\0links\n./l\0a\nb\n\0"_z);
  CHECK(tree.kind == PodTree::Kind::folder);
  REQUIRE(tree.entries.size() == 3);
  CHECK(tree.entries[0].path.empty());
  CHECK(tree.entries[0].kind == Kind::folder);
  CHECK(tree.entries[0].mode == 0755);
  CHECK(tree.entries[1].path == "a\nb");
  CHECK(tree.entries[1].kind == Kind::file);
  CHECK(tree.entries[1].mode == 0640);
  CHECK(tree.entries[1].size == 5);
  CHECK(tree.entries[1].modified == 1700000000);
  CHECK(tree.entries[2].kind == Kind::link);
  CHECK(tree.entries[2].target == "a\nb");
}

TEST_CASE(
    "pod tree: recognizes a single file, a missing path, and something that is neither a file nor a folder") {
  const PodTree tree = parse_pod_tree("file\n89ed 7 1\n");
  CHECK(tree.kind == PodTree::Kind::file);
  CHECK(tree.entries.at(0).path.empty());
  CHECK(tree.entries.at(0).mode == 0755);  // without the setuid bit
  CHECK(parse_pod_tree("missing\n").kind == PodTree::Kind::missing);
  CHECK(parse_pod_tree("other\n").kind == PodTree::Kind::other);
}

TEST_CASE("pod tree: a name that leads out of the folder is rejected") {
  for (const std::string name : {"..", "./..", "./../a", "/a", "a", "./a/../../b", "./", ".//a", "./a/"})
    CHECK_THROWS_AS(parse_pod_tree("folder\n1\n81a0 5 1\n" + name + "\0links\n"_z), Error);
}

TEST_CASE("pod tree: a listing that is truncated anywhere, or malformed, is rejected") {
  const std::string whole = "folder\n1\n81a4 5 1\n./a\0links\n"_z;
  CHECK(parse_pod_tree(whole).entries.size() == 1);
  for (size_t size = 0; size < whole.size(); ++size)
    CHECK_THROWS_AS(parse_pod_tree(std::string_view(whole).substr(0, size)), Error);
  for (const std::string wrong : {"folder\nx\n", "folder\n1\n81a4 5\n./a\0links\n", "folder\n-1\nlinks\n",
                                  "folder\n1\n81a4 5 1 1\n", "folder\n1\nzz 5 1\n", "file\n\n", "else\n"})
    CHECK_THROWS_AS(parse_pod_tree(wrong), Error);
}

TEST_CASE("pod tree: links that lead out, and devices, are left out, with a line for each") {
  std::vector<CopyEntry> entries = {{.path = "", .kind = Kind::folder},
                                    {.path = "a/in", .kind = Kind::link, .target = "../b"},
                                    {.path = "out", .kind = Kind::link, .target = "/etc"},
                                    {.path = "pipe", .kind = Kind::other}};
  const std::vector<std::string> lines = take_out_uncopyable(entries);
  CHECK(entries.size() == 2);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0] == "link out: it leads out of the folder, to /etc");
  CHECK(lines[1] == "pipe: it is a pipe, a socket or a device");
}

}  // namespace pod_tree_test
