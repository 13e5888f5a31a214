#include "kml/base/files.h"

#include <doctest/doctest.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>

#include "kml/base/error.h"
#include "kml/base/process.h"
#include "support/environment.h"
#include "support/temporary_folder.h"

namespace files_test {

using namespace kml;

TEST_CASE("files: an atomic write replaces the text, and leaves no other file behind") {
  TemporaryFolder folder;
  write_file_atomically(folder.path() / "a", "one");
  write_file_atomically(folder.path() / "a", "two");
  CHECK(read_file(folder.path() / "a") == "two");
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
  auto mode = std::filesystem::status(folder.path() / "a").permissions();
  CHECK(mode == (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
}

TEST_CASE("files: text is appended to the existing text") {
  TemporaryFolder folder;
  append_durably(folder.path() / "log", "1\n");
  append_durably(folder.path() / "log", "2\n");
  CHECK(read_file(folder.path() / "log") == "1\n2\n");
}

TEST_CASE("files: an error names the file and the reason") {
  CHECK_FALSE(read_file_if_exists("/nonexistent/file"));
  try {
    read_file("/nonexistent/file");
    FAIL("read a file that does not exist");
  } catch (const Error& e) {
    CHECK(e.message == "cannot read /nonexistent/file");
    CHECK(e.why == "No such file or directory");
  }
  TemporaryFolder folder;
  append_durably(folder.path() / "large", std::string(100, 'x'));
  CHECK_THROWS_AS(read_file(folder.path() / "large", 99), Error);
}

TEST_CASE("files: find_upwards stops at the nearest match") {
  TemporaryFolder folder;
  make_private_folder(folder.path() / "a/b/c");
  append_durably(folder.path() / "kml.yaml", "");
  append_durably(folder.path() / "a/b/kml.yaml", "");
  CHECK(find_upwards(folder.path() / "a/b/c", "kml.yaml") == folder.path() / "a/b/kml.yaml");
  CHECK(find_upwards(folder.path() / "a", "kml.yaml") == folder.path() / "kml.yaml");
}

TEST_CASE("files: any name becomes one component of a path") {
  const std::string_view kPlain[] = {"bert.12345678", "main.0", "a", ".hidden", "...", "kind-x_Y:1@b é"};
  for (const std::string_view name : kPlain) CHECK(path_component(name) == name);
  CHECK(path_component(std::string(255, 'x')) == std::string(255, 'x'));
  CHECK(path_component("") == "%");
  CHECK(path_component(".") == "%2E");
  CHECK(path_component("..") == "%2E%2E");
  CHECK(path_component("../../etc/x") == "..%2F..%2Fetc%2Fx");
  CHECK(path_component("/") == "%2F");
  CHECK(path_component("a%2Fb") == "a%252Fb");
  CHECK(path_component({"a\0b\n\x7f", 5}) == "a%00b%0A%7F");
  const std::string long_name = path_component(std::string(256, 'x'));
  CHECK(long_name.size() == 255);
  CHECK(long_name != path_component(std::string(257, 'x')));
  CHECK(path_component(std::string(90, '/'), 100).size() == 100);
}

TEST_CASE("process: output, exit code, signal and a missing program") {
  ProcessResult result = run_process({"sh", "-c", "echo out; echo err >&2; exit 3"});
  CHECK(result.exit_code == 3);
  CHECK(result.out == "out\n");
  CHECK(run_process({"sh", "-c", "kill -9 $$"}).exit_code == 137);
  CHECK(run_process({"/nonexistent/program"}).exit_code == 127);
  CHECK(run_process({"/nonexistent/program"}).start_errno == ENOENT);
  CHECK(run_process({"pwd"}, {.folder = "/"}).out == "/\n");
  CHECK(run_process({"sh", "-c", "echo out; echo err >&2"}, {.merge_errors = true}).out == "out\nerr\n");
}

TEST_CASE("process: variables added to the environment replace this process's own") {
  EnvironmentVariable own("KML_TEST_A", "own");
  const ProcessResult result =
      run_process({"sh", "-c", "echo $KML_TEST_A $KML_TEST_B; env | grep -c ^KML_TEST_A="},
                  {.environment = {"KML_TEST_A=first", "KML_TEST_B=b", "KML_TEST_A=last"}});
  CHECK(result.out == "last b\n1\n");
}

TEST_CASE("process: a program that takes too long is killed") {
  const char* script = "";
  SUBCASE("the program prints nothing more") {
    script = "echo begun; exec sleep 100";
  }
  SUBCASE("the program has closed its output") {
    script = "echo begun; exec sleep 100 >&-";
  }
  SUBCASE("another process holds its output open") {
    script = "echo begun; sleep 1 & exec sleep 100";
  }
  const ProcessResult result =
      run_process({"sh", "-c", script}, {.time_limit = std::chrono::milliseconds(200)});
  CHECK(result.timed_out);
  CHECK(result.out == "begun\n");
  CHECK(result.exit_code == 128 + SIGKILL);
}

}  // namespace files_test
