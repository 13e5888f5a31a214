#include "job/first_error/missing_module.h"

#include <doctest/doctest.h>

#include <array>
#include <filesystem>
#include <string>

#include "kml/base/json.h"

namespace missing_module_test {

using namespace kml;
using namespace kml::job;

namespace {

namespace fs = std::filesystem;

/// A job with this container, which is a process on this machine if `is_here`.
Json job_of(const Json& container, bool is_here) {
  const Json environment = {{"PATH", "/nowhere:/usr/bin:/bin"}};
  const Json annotations =
      is_here ? Json{{"kml.dev/environment", environment.dump()}, {"kml.dev/working-folder", "/home/ana"}}
              : Json::object();
  return {{"apiVersion", "batch/v1"},
          {"kind", "Job"},
          {"metadata", {{"name", "bert"}}},
          {"spec",
           {{"template",
             {{"metadata", {{"annotations", annotations}}}, {"spec", {{"containers", {container}}}}}}}}};
}

Cause explained(const std::string& line, const Json& job, const std::string& command,
                const fs::path& folder = "/nowhere") {
  Cause cause;
  cause.summary = "exit code 1";
  name_missing_module(std::array{std::string("Traceback (most recent call last):"), line}, job, command,
                      folder, cause);
  return cause;
}

}  // namespace

TEST_CASE("missing module: the verdict names the Python and its folder") {
  const std::string line = "ModuleNotFoundError: No module named 'torch.nn'";
  const Json python = {{"command", {"python3", "train.py"}}, {"image", "python:3"}};
  const Cause here = explained(line, job_of(python, true), "python3 train.py");
  CHECK(here.summary.ends_with("; /usr/bin/python3, started in /home/ana, does not find module torch.nn"));
  CHECK(here.remedies.at(0).command == "/usr/bin/python3 -m pip install torch");
  Json in_folder = python;
  in_folder["workingDir"] = "/kml/code";
  const Cause there = explained(line, job_of(in_folder, false), "python3 train.py");
  CHECK(there.summary.ends_with(
      "; python3 of image python:3, started in /kml/code, does not find module torch.nn"));
  CHECK(there.remedies.at(0).command == "kml submit --image IMAGE --code . … -- python3 train.py");
  const Cause shell =
      explained(line, job_of({{"command", {"sh", "run.sh"}}, {"image", "a"}}, false), "sh run.sh");
  CHECK(shell.summary.ends_with("; Python of image a does not find module torch.nn"));
  const Cause shell_here =
      explained(line, job_of({{"command", {"sh", "run.sh"}}, {"image", "a"}}, true), "sh run.sh");
  CHECK(shell_here.remedies.at(0).what ==
        "install the module's package, whose name may differ, for this Python");
  CHECK(shell_here.remedies.at(0).command == "");
  const Json with_packages = {
      {"command", {"sh", "-c", "", "kml-packages", "python3", "/s", "a", "python", "train.py"}}};
  const std::string remedy =
      explained(line, job_of(with_packages, false), "python train.py").remedies.at(0).what;
  CHECK(
      remedy.starts_with("add the module's package, whose name may differ, to the file that --uv, "
                         "--requirements or --conda reads"));
}

TEST_CASE(
    "missing module: kml does not suggest installing a module that is in the user's folder, because anyone "
    "may own a package with its name") {
  const fs::path folder = fs::path(KML_SOURCE_DIR) / "tests/bench";
  for (const char* line :
       {"ModuleNotFoundError: No module named 'bench'", "/usr/bin/python3: No module named bench"})
    for (const bool is_here : {true, false}) {
      const Json job = job_of({{"command", {"python3", "-m", "bench"}}, {"image", "a"}}, is_here);
      const Cause own = explained(line, job, "python3 -m bench", folder);
      CHECK_MESSAGE(own.summary.ends_with(" does not find module bench; this folder has it"), own.summary);
      CHECK(own.remedies.at(0).command == (is_here ? "" : "kml submit --code . … -- python3 -m bench"));
      CHECK(explained(line, job, "python3 -m bench").remedies.at(0).command.find("bench") !=
            std::string::npos);
    }
  CHECK(explained("xy: No module named bench", job_of({{"image", "a"}}, false), "x").remedies.empty());
}

}  // namespace missing_module_test
