#include "local/shim/status_file.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/resource.h>

#include <fstream>

#include "support/temporary_folder.h"

namespace status_file_test {

using namespace kml;
using namespace kml::local;

namespace {

struct StatusFixture {
  TemporaryFolder temporary;
  PodFolder folder{temporary.path()};
  StatusFile file{folder};
};

/// Limits the size of all files, in bytes.
class FullDisk {
 public:
  explicit FullDisk(rlim_t size) {
    ::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit small{size, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
  }
  ~FullDisk() { ::setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

}  // namespace

TEST_CASE_FIXTURE(StatusFixture, "status_file: the last complete line is used") {
  CHECK_FALSE(read_status(folder));
  REQUIRE(file.write({{"phase", "Running"}}));
  CHECK(*read_status(folder) == Json{{"phase", "Running"}});
  REQUIRE(file.write({{"phase", "Failed"}, {"message", "two\nlines, and no UTF-8: \xff"}}));
  CHECK(read_status(folder)->at("phase") == "Failed");
  std::ofstream(folder.status(), std::ios::app) << R"({"phase": "Succ)";
  CHECK(read_status(folder)->at("phase") == "Failed");
}

TEST_CASE_FIXTURE(
    StatusFixture,
    "status_file: on a full disk, the earlier status stays, and writing succeeds once the disk has space") {
  REQUIRE(file.write({{"phase", "Running"}}));
  {
    const FullDisk full(30);
    CHECK_FALSE(file.write({{"phase", "Succeeded"}}));
  }
  CHECK(std::filesystem::file_size(folder.status()) == std::string_view("{\"phase\":\"Running\"}\n").size());
  REQUIRE(file.write({{"phase", "Succeeded"}}));
  CHECK(read_status(folder)->at("phase") == "Succeeded");
}

TEST_CASE_FIXTURE(StatusFixture, "status_file: old statuses are removed") {
  for (int i = 0; i < 1000; ++i)
    REQUIRE(file.write({{"restartCount", i}, {"message", std::string(1000, 'x')}}));
  CHECK(std::filesystem::file_size(folder.status()) < 70'000);
  CHECK(read_status(folder)->at("restartCount") == 999);
}

TEST_CASE_FIXTURE(StatusFixture,
                  "status_file: if the disk fills up while the file is shortened, the status is not lost") {
  const std::string message(70'000, 'x');
  REQUIRE(file.write({{"exitCode", 3}, {"message", message}}));
  {
    const FullDisk full(30);
    CHECK_FALSE(file.write({{"exitCode", 4}}));
  }
  CHECK(read_status(folder)->at("exitCode") == 3);
  REQUIRE(file.write({{"exitCode", 4}}));
  CHECK(read_status(folder)->at("exitCode") == 4);
  REQUIRE(file.write({{"exitCode", 5}}));
  CHECK(std::filesystem::file_size(folder.status()) < 1'000);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.status().parent_path()), {}) == 1);
}

}  // namespace status_file_test
