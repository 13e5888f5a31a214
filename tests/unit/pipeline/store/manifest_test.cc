#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/sha256.h"
#include "kml/base/text.h"
#include "kml/pipeline/store/store.h"
#include "pipeline/made_tree.h"
#include "pipeline/store/manifest.h"
#include "pipeline/trees/tree_entries.h"
#include "support/temporary_folder.h"

namespace manifest_test {

using namespace kml;
using namespace kml::pipeline;
using namespace kml::pipeline::tests;

TEST_CASE("manifest: has a line for each file, link and empty folder") {
  Made made;
  ::chmod((made.root / "a").c_str(), 0700);
  const Manifest manifest = manifest_of(made.root);
  CHECK(manifest.text == "\"a\" 755 4 " + sha256_hex("text") + "\n\"b/weights\" 644 4 " + sha256_hex("0123") +
                             "\n\"empty/\"\n\"latest\" -> \"b/weights\"\n");
  CHECK(manifest.tree.digest == sha256_hex(manifest.text));
  CHECK(manifest.tree.files == 2);
  CHECK(manifest.tree.bytes == 8);
}

TEST_CASE("manifest: a single file has the path \".\", and an empty folder \"./\"") {
  Made made;
  CHECK(manifest_of(made.root / "a").text == "\".\" 644 4 " + sha256_hex("text") + "\n");
  CHECK(manifest_of(made.root / "empty").text == "\"./\"\n");
}

TEST_CASE("manifest: its digest does not depend on times, owners, order of creation and other mode bits") {
  Made made;
  const std::string digest = digest_of(made.root);
  TemporaryFolder other;
  fs::create_symlink("b/weights", other.path() / "latest");
  fs::create_directory(other.path() / "empty");
  write(other.path() / "a", "text");
  write(other.path() / "b/weights", "0123");
  set_mtime(other.path() / "a", {1000, 0});
  set_mtime(other.path() / "b", {2000, 0});
  ::chmod((other.path() / "a").c_str(), 0606);
  ::chmod((other.path() / "b").c_str(), 0711);
  if (::geteuid() == 0) REQUIRE(::chown((other.path() / "a").c_str(), 1234, 1234) == 0);
  CHECK(digest_of(other.path()) == digest);
}

TEST_CASE("manifest: its digest depends on content, names, the executable bit, empty folders and links") {
  Made made;
  const std::string digest = digest_of(made.root);
  SUBCASE("content") {
    write(made.root / "b/weights", "0124");
  }
  SUBCASE("name") {
    fs::rename(made.root / "a", made.root / "c");
  }
  SUBCASE("executable bit") {
    ::chmod((made.root / "a").c_str(), 0744);
  }
  SUBCASE("an empty folder is missing") {
    fs::remove(made.root / "empty");
  }
  SUBCASE("a file in the empty folder") {
    write(made.root / "empty/x", "");
  }
  SUBCASE("a file instead of the empty folder") {
    fs::remove(made.root / "empty");
    write(made.root / "empty", "");
  }
  SUBCASE("target of a link") {
    fs::remove(made.root / "latest");
    fs::create_symlink("a", made.root / "latest");
  }
  SUBCASE("a file instead of a link") {
    fs::remove(made.root / "latest");
    write(made.root / "latest", "0123");
  }
  CHECK(digest_of(made.root) != digest);
}

TEST_CASE("manifest: each name has its own text, even with line breaks and bytes that are not UTF-8") {
  TemporaryFolder folder;
  const std::string digest = sha256_hex("");
  write(folder.path() / "a\nb", "");
  write(folder.path() / "c\"\\", "");
  write(folder.path() / "d\xff\xc3\xa4", "");
  write(folder.path() / "d\\udcff\xc3\xa4", "");
  std::vector<std::string> lines = split(manifest_of(folder.path()).text, '\n');
  std::sort(lines.begin(), lines.end());
  CHECK(lines == std::vector<std::string>{"", "\"a\\nb\" 644 0 " + digest, "\"c\\\"\\\\\" 644 0 " + digest,
                                          "\"d\\\\udcff\xc3\xa4\" 644 0 " + digest,
                                          "\"d\\udcff\xc3\xa4\" 644 0 " + digest});
}

TEST_CASE("manifest: a file that changes after it was listed is an error that names it") {
  Made made;
  const auto entries = entries_of(made.root);
  write(made.root / "a", "longer");
  const Error error = error_of([&] { manifest_of(made.root, entries); });
  CHECK(error.message == "cannot keep " + (made.root / "a").string());
  CHECK(error.why == "it changed while it was read");
}

TEST_CASE("manifest: a link out of the tree, or to itself, is rejected by name, with a fix") {
  Made made;
  const char *link = "b/out", *target = nullptr;
  SUBCASE("absolute") {
    target = "/etc/passwd";
  }
  SUBCASE("an absolute path that is itself a link") {
    target = "/proc/self/cwd";
  }
  SUBCASE("by ..") {
    target = "../../secret";
  }
  SUBCASE("by .. in the middle") {
    target = "../b/../../out/a";
  }
  SUBCASE("through another link: \"here/..\" is outside, whatever the names suggest") {
    fs::create_symlink("..", made.root / "b/here");
    target = "here/../a";
  }
  SUBCASE("a cycle") {
    target = "out";
  }
  fs::create_symlink(target, made.root / link);
  const Error error = error_of([&] { manifest_of(made.root); });
  CHECK(error.message == "cannot keep " + made.root.string());
  CHECK(contains(error.why, "\"b/out\" is a link to \"" + std::string(target) + "\""));
  CHECK(contains(error.fix, "cp -rL"));
}

TEST_CASE(
    "manifest: a link that stays inside the tree is kept, even if it leads through other links or to "
    "nothing") {
  Made made;
  const std::string digest = digest_of(made.root);
  fs::create_symlink("../latest", made.root / "b/up");
  fs::create_symlink("b/up/../missing", made.root / "dangling");
  fs::create_symlink(".", made.root / "here");
  CHECK(digest_of(made.root) != digest);
}

TEST_CASE("manifest: an output that is itself a link is rejected") {
  Made made;
  CHECK(contains(error_of([&] { manifest_of(made.root / "latest"); }).why, "it is a link to \"b/weights\""));
}

TEST_CASE("manifest: named pipes, sockets and devices are rejected by name") {
  Made made;
  std::string kind;
  SUBCASE("pipe") {
    REQUIRE(::mkfifo((made.root / "odd").c_str(), 0600) == 0);
    kind = "a named pipe (fifo)";
  }
  SUBCASE("socket") {
    const Fd socket(::socket(AF_UNIX, SOCK_STREAM, 0));
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    (made.root / "odd").string().copy(address.sun_path, sizeof address.sun_path - 1);
    REQUIRE(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    kind = "a socket";
  }
  CHECK(error_of([&] { manifest_of(made.root); }).why == "\"odd\" is " + kind);
  CHECK(error_of([&] { manifest_of("/dev/null"); }).why == "\".\" is a device");
}

TEST_CASE("manifest: a file that cannot be read is an error with a fix") {
  if (::geteuid() == 0) return;  // root can read every file
  Made made;
  ::chmod((made.root / "a").c_str(), 0);
  CHECK(contains(error_of([&] { manifest_of(made.root); }).fix, "chmod u+r"));
}

}  // namespace manifest_test
