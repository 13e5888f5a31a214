#include "local/shim/status_file.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/resource.h>

#include <fstream>

#include "support/temporary_folder.h"

using namespace kml;
using namespace kml::local;

namespace {

struct StatusFixture {
  TemporaryFolder temporary;
  PodFolder folder{temporary.path()};
  StatusFile file{folder};
};

}  // namespace

TEST_CASE_FIXTURE(StatusFixture, "status_file: the last whole line holds") {
  CHECK_FALSE(read_status(folder));
  REQUIRE(file.write({{"phase", "Running"}}));
  CHECK(*read_status(folder) == Json{{"phase", "Running"}});
  REQUIRE(file.write({{"phase", "Failed"}, {"message", "two\nlines, and no UTF-8: \xff"}}));
  CHECK(read_status(folder)->at("phase") == "Failed");
  std::ofstream(folder.status(), std::ios::app) << R"({"phase": "Succ)";
  CHECK(read_status(folder)->at("phase") == "Failed");
}

TEST_CASE_FIXTURE(StatusFixture,
                  "status_file: a full disk leaves the status before, and is over when there is room") {
  REQUIRE(file.write({{"phase", "Running"}}));
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{30, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  CHECK_FALSE(file.write({{"phase", "Succeeded"}}));
  ::setrlimit(RLIMIT_FSIZE, &before);
  CHECK(std::filesystem::file_size(folder.status()) == std::string_view("{\"phase\":\"Running\"}\n").size());
  REQUIRE(file.write({{"phase", "Succeeded"}}));
  CHECK(read_status(folder)->at("phase") == "Succeeded");
}

TEST_CASE_FIXTURE(StatusFixture, "status_file: what was said long ago goes") {
  for (int i = 0; i < 1000; ++i)
    REQUIRE(file.write({{"restartCount", i}, {"message", std::string(1000, 'x')}}));
  CHECK(std::filesystem::file_size(folder.status()) < 70'000);
  CHECK(read_status(folder)->at("restartCount") == 999);
}
