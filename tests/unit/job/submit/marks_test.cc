#include "kml/job/submit/marks.h"

#include <doctest/doctest.h>

#include <fstream>

#include "job/submit/local_interpreter.h"
#include "kml/base/error.h"
#include "kml/job/views/kinds.h"
#include "support/environment.h"
#include "support/temporary_folder.h"

namespace marks_test {

using namespace kml;
using namespace kml::job;

TEST_CASE("submit: jobs get a random name and marks, other objects must have a name") {
  Marks marks = new_marks("Ana Maria", "train", {"python", "train it.py"});
  Json unnamed = {{"apiVersion", "batch/v1"}, {"kind", "Job"}};
  Json generated = {{"apiVersion", "batch/v1"}, {"kind", "Job"}, {"metadata", {{"generateName", "sweep-"}}}};
  std::vector<Json> sent = marked({unnamed, generated}, marks);
  CHECK(base_of_drawn_name(sent[0]["metadata"]["name"]) == "train");
  CHECK(base_of_drawn_name(sent[1]["metadata"]["name"]) == "sweep");
  CHECK_FALSE(sent[1]["metadata"].contains("generateName"));
  CHECK(sent[0]["metadata"]["labels"]["kml.dev/user"] == "ana-maria");
  CHECK(sent[0]["metadata"]["labels"]["kml.dev/submit-id"] == marks.submit_id);
  CHECK(sent[0]["metadata"]["annotations"]["kml.dev/command"] == "python 'train it.py'");
  Json settings = {{"apiVersion", "v1"}, {"kind", "ConfigMap"}};
  CHECK_THROWS_AS(marked({settings}, marks), Error);
}

TEST_CASE("submit: only a random suffix is removed from a name") {
  CHECK(base_of_drawn_name("train-x7f2q") == "train");
  CHECK(base_of_drawn_name("train-large") == "train-large");
  CHECK(base_of_drawn_name("x7f2q") == "x7f2q");
  CHECK(drawn_name(std::string(80, 'a')).size() == 63);
}

namespace {

void write_program(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << text;
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
}

}  // namespace

TEST_CASE("submit: the interpreter of a command on this machine is found without running it") {
  const TemporaryFolder temporary;
  const std::filesystem::path root = std::filesystem::canonical(temporary.path());
  const std::string mark = (root / "ran").string(), program = "#!/bin/sh\ntouch " + mark + "\n";
  write_program(root / "usr/bin/python3.11", program);
  std::filesystem::create_symlink("python3.11", root / "usr/bin/python3");
  std::filesystem::create_directories(root / "venv/bin");
  std::filesystem::create_symlink(root / "usr/bin/python3", root / "venv/bin/python");
  std::ofstream(root / "venv/pyvenv.cfg") << "home = /usr/bin\nversion = 3.11.2\n";
  write_program(root / "uv/bin/python", program);
  std::ofstream(root / "uv/pyvenv.cfg") << "version_info = 3.12.1.final.0\n";
  write_program(root / "conda/bin/python", program);
  write_program(root / "conda/conda-meta/python-3.10.9-h1_0.json", "{}");
  write_program(root / "usr/bin/torchrun", "#!" + (root / "venv/bin/python").string() + "\nimport torch\n");
  write_program(root / "work/train.py", "#!/usr/bin/env -S python3 -u\n");
  write_program(root / "work/run.sh", program);
  write_program(root / "usr/bin/trainer",
                "\x7f"
                "ELF");

  struct Case {
    std::vector<std::string> command;
    const char* path;  ///< below `root`; empty if there is no interpreter
    const char* version;
  };
  const Case kCases[] = {{{"python3", "train.py"}, "usr/bin/python3", "3.11"},
                         {{"python3.11"}, "usr/bin/python3.11", "3.11"},
                         {{"../venv/bin/python", "-m", "train"}, "venv/bin/python", "3.11.2"},
                         {{"../uv/bin/python"}, "uv/bin/python", "3.12.1"},
                         {{"../conda/bin/python"}, "conda/bin/python", "3.10.9"},
                         {{"torchrun", "--nproc-per-node=2", "train.py"}, "venv/bin/python", "3.11.2"},
                         {{"./train.py"}, "usr/bin/python3", "3.11"},
                         {{"sh", "-c", "cd /; exec python3 train.py"}, "usr/bin/python3", "3.11"},
                         {{"env", "A=1", "python3", "train.py"}, "usr/bin/python3", "3.11"},
                         {{"./run.sh"}, "", ""},
                         {{"trainer", "python3"}, "", ""},
                         {{"python9"}, "", ""},
                         {{"sh", "-c", "true"}, "", ""},
                         {{}, "", ""}};
  for (const auto& [command, path, version] : kCases) {
    CAPTURE(command.empty() ? "" : command[0]);
    const LocalInterpreter found =
        interpreter_of_command(command, root / "work", (root / "usr/bin").string());
    CHECK(found.path == (*path ? (root / path).string() : ""));
    CHECK(found.python_version == version);
  }
  CHECK_FALSE(std::filesystem::exists(mark));

  const EnvironmentVariable search("PATH", (root / "usr/bin").c_str());
  const auto pod_of = [](const Json& command) {
    return Json{{"spec", {{"containers", {{{"name", "main"}, {"command", command}}}}}}};
  };
  std::vector<Json> objects;
  for (const Json& command : {Json{"python3", "a.py"}, Json{"true"}, Json{"python3", "a.py"}})
    objects.push_back(
        {{"apiVersion", "batch/v1"}, {"kind", "Job"}, {"spec", {{"template", pod_of(command)}}}});
  // What an earlier submit noted does not apply to this one.
  objects[1]["spec"]["template"]["metadata"]["annotations"] = {{"kml.dev/interpreter", "/old"}};
  add_local_surroundings(objects, root / "work");
  for (const size_t i : {0, 1, 2}) {
    const Json& marked = objects[i]["spec"]["template"]["metadata"]["annotations"];
    CHECK(marked.contains("kml.dev/interpreter") == (i != 1));
    CHECK(marked.contains("kml.dev/python-version") == (i != 1));
  }
  CHECK(objects[2]["spec"]["template"]["metadata"]["annotations"]["kml.dev/interpreter"] ==
        (root / "usr/bin/python3").string());
}

}  // namespace marks_test
