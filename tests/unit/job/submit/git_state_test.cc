#include "kml/job/submit/submit_record.h"

#include <doctest/doctest.h>

#include <fstream>

#include "support/temporary_folder.h"

namespace kml::job::git_state_test {

TEST_CASE("git state: contents of .env files are left out of the diff") {
  TemporaryFolder dir;
  const auto git = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"git", "-c", "user.name=ann", "-c", "user.email=ann@example.com"});
    REQUIRE(run_process(arguments, {.folder = dir.path(), .inherit_errors = true}).exit_code == 0);
  };
  const auto write = [&](const char* text) {
    std::filesystem::create_directories(dir.path() / "sub");
    for (const char* name : {".env", "sub/.env.local", "prod.env", "a.py", "z.py"})
      std::ofstream(dir.path() / name) << text << " in " << name << "\n";
  };
  git({"init", "-q"});
  write("one");
  git({"add", "-A"});
  git({"commit", "-q", "-m", "first"});
  git({"config", "diff.noprefix", "true"});
  write("hunter2");
  const Json state = GitState(dir.path()).take();
  const std::string diff = state["diff"];
  CHECK(state["dirty"] == true);
  CHECK(diff.find("+hunter2 in a.py") != std::string::npos);
  CHECK(diff.find("+hunter2 in z.py") != std::string::npos);
  for (const char* name : {".env", "sub/.env.local", "prod.env"}) {
    CHECK(diff.find(std::string("hunter2 in ") + name) == std::string::npos);
    CHECK(diff.find(std::string("b/") + name + "\n(kept out of the record)\n") != std::string::npos);
  }
}

}  // namespace kml::job::git_state_test
