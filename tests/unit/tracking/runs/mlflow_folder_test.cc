#include "kml/tracking/runs/mlflow_folder.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kml/base/files.h"
#include "support/temporary_folder.h"

namespace kml::tracking::mlflow_folder_test {

namespace {

namespace fs = std::filesystem;

/// A run as MLflow's file store has it. All runs start in the same millisecond.
void add_run(const fs::path& folder, const std::string& id, const std::string& parent) {
  const fs::path run = folder / "0" / id;
  fs::create_directories(run / "tags");
  write_file_atomically(run / "meta.yaml", "start_time: 1795630185264\nend_time: 1795630185265\nstatus: 3\n");
  write_file_atomically(run / "tags/mlflow.runName", id);
  if (!parent.empty()) write_file_atomically(run / "tags/mlflow.parentRunId", parent);
}

/// The nested runs: "a" for a run nested in the job's run, "b<a" for a run nested in a, in the order in which
/// they are stored.
std::vector<std::string> nested_in(const fs::path& folder) {
  std::vector<std::string> found;
  for (const NestedLog& nested : read_mlflow_folder(folder).nested)
    found.push_back(nested.run.id + (nested.run.parent.empty() ? "" : "<" + nested.run.parent));
  return found;
}

}  // namespace

TEST_CASE("mlflow folder: a nested run follows its parent, whichever was written first") {
  const TemporaryFolder folder;
  int hours = 0;
  for (const auto& [id, parent] : std::vector<std::pair<std::string, std::string>>{
           {"deepest", "deep"}, {"deep", "fold"}, {"fold", "top"}, {"top", ""}}) {
    add_run(folder.path(), id, parent);
    fs::last_write_time(folder.path() / "0" / id / "meta.yaml",
                        fs::file_time_type() + std::chrono::hours(++hours));
  }
  CHECK(nested_in(folder.path()) == std::vector<std::string>{"fold", "deep<fold", "deepest<deep"});
}

TEST_CASE("mlflow folder: links to the runs of others are not followed") {
  const TemporaryFolder folder, others;
  add_run(folder.path(), "own", "");
  add_run(folder.path(), "fold", "own");
  add_run(others.path(), "theirs", "own");
  fs::create_directory_symlink(others.path() / "0", folder.path() / "1");
  fs::create_directory_symlink(others.path() / "0/theirs", folder.path() / "0/theirs");
  CHECK(nested_in(folder.path()) == std::vector<std::string>{"fold"});
}

TEST_CASE("mlflow folder: runs that are each other's parent, or their own, are kept once each") {
  const TemporaryFolder folder;
  add_run(folder.path(), "a", "b");
  add_run(folder.path(), "b", "a");
  add_run(folder.path(), "self", "self");
  std::vector<std::string> found = nested_in(folder.path());
  REQUIRE(found.size() == 3);
  std::map<std::string, size_t> place;  // by id
  for (size_t i = 0; i < found.size(); ++i) place[found[i].substr(0, found[i].find('<'))] = i;
  CHECK(place.size() == 3);
  for (size_t i = 0; i < found.size(); ++i)
    if (const size_t mark = found[i].find('<'); mark != std::string::npos)
      CHECK(place.at(found[i].substr(mark + 1)) < i);
}

TEST_CASE("mlflow folder: a run whose parent is elsewhere is one of the job's own runs") {
  const TemporaryFolder folder;
  add_run(folder.path(), "alone", "of-another-program");
  CHECK(nested_in(folder.path()).empty());
}

TEST_CASE("mlflow folder: a program's pipes and links are not read") {
  const TemporaryFolder folder;
  add_run(folder.path(), "own", "");
  add_run(folder.path(), "linked", "own");
  for (const char* name : {"meta.yaml", "tags/mlflow.parentRunId"}) {
    const fs::path place = folder.path() / "0" / "linked" / name;
    fs::remove(place);
    SUBCASE("a pipe") {
      REQUIRE(::mkfifo(place.c_str(), 0600) == 0);
    }
    SUBCASE("a link") {
      fs::create_symlink(folder.path() / "0/own/meta.yaml", place);
    }
    CHECK(nested_in(folder.path()).empty());
  }
}

}  // namespace kml::tracking::mlflow_folder_test
