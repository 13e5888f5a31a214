#include "job/first_error/missed_file.h"

#include <doctest/doctest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "kml/base/json.h"
#include "support/temporary_folder.h"

namespace missed_file_test {

using namespace kml;
using namespace kml::job;

namespace {

namespace fs = std::filesystem;

/// A job that starts in this folder of this machine; in a cluster if `folder` is empty.
Json job_in(const std::string& folder) {
  const Json annotations = folder.empty() ? Json::object() : Json{{"kml.dev/working-folder", folder}};
  return {{"apiVersion", "batch/v1"},
          {"kind", "Job"},
          {"metadata", {{"name", "bert"}}},
          {"spec",
           {{"template",
             {{"metadata", {{"annotations", annotations}}},
              {"spec", {{"containers", {{{"name", "main"}, {"command", {"x"}}}}}}}}}}}};
}

void write(const fs::path& file, const std::string& text, bool is_program = true) {
  std::ofstream(file) << text;
  fs::permissions(file, is_program ? fs::perms::owner_all : fs::perms::owner_read);
}

}  // namespace

TEST_CASE("missed file: the verdict says why a file of this folder was not found or could not be run") {
  TemporaryFolder folder;
  const fs::path here = folder.path();
  fs::create_directory(here / "away");
  write(here / "lost", "#!/nonexistent/python\n");
  write(here / "windows", "#!/bin/sh\r\necho hi\r\n");
  write(here / "good", "#!/bin/sh\necho hi\n");
  write(here / "plain", "hello\n", false);
  struct Row {
    const char *line, *command, *start, *summary, *fix;
  };
  const std::string own = here.string(), away = (here / "away").string();
  for (const Row& row : std::vector<Row>{
           // The kernel's error for a missing program of the first line names the script.
           {"exec: \"./lost\": No such file or directory", "./lost", own.c_str(),
            "; the program in the first line of ./lost, /nonexistent/python, does not exist", ""},
           {"sh: 1: ./lost: not found", "sh -c ./lost", own.c_str(),
            "; the program in the first line of ./lost, /nonexistent/python, does not exist", ""},
           {"exec: \"./windows\": No such file or directory", "./windows", own.c_str(),
            "; the first line of ./windows ends with a carriage return, as in files of Windows",
            "sed -i 's/\\r$//' ./windows"},
           {"exec ./windows: no such file or directory", "./windows", "",
            "; the first line of ./windows ends with a carriage return, as in files of Windows",
            "sed -i 's/\\r$//' ./windows"},
           // The file was created after the job had failed.
           {"exec: \"./good\": No such file or directory", "./good", own.c_str(), "", ""},
           {"sh: 0: cannot open good: No such file", "sh good", own.c_str(), "", ""},
           {"exec: \"./good\": No such file or directory", "./good", away.c_str(),
            "; ./good is in this folder, but the job does not have it", "kml submit --code . … -- ./good"},
           {"exec: \"./lost\": No such file or directory", "./lost", "",
            "; ./lost is in this folder, but the job does not have it", "kml submit --code . … -- ./lost"},
           {"sh: 0: cannot open lost: No such file", "sh lost", away.c_str(),
            "; lost is in this folder, but the job does not have it", "kml submit --code . … -- sh lost"},
           {"exec: \"./plain\": Permission denied", "./plain", own.c_str(), "; ./plain is not executable",
            "chmod +x ./plain"},
           {"PermissionError: [Errno 13] Permission denied: '/data/x'", "python3 good", own.c_str(), "", ""},
           {"exec: \"./good\": Permission denied", "./good", own.c_str(), "", ""}}) {
    CAPTURE(row.line);
    CAPTURE(row.start);
    Cause cause;
    cause.summary = "exit code 1";
    name_missed_file(std::array{std::string("step 7"), std::string(row.line)}, job_in(row.start), row.command,
                     here, cause);
    CHECK(cause.summary == std::string("exit code 1") + row.summary);
    CHECK(cause.remedies.empty() == (*row.summary == '\0'));
    CHECK((cause.remedies.empty() ? "" : cause.remedies[0].command) == row.fix);
  }
}

}  // namespace missed_file_test
