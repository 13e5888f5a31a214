#include "app/disk_use.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "kml/base/files.h"
#include "kml/base/reserve.h"
#include "kml/base/text.h"

namespace kml::cli {

namespace {

namespace fs = std::filesystem;

struct OwnFiles {
  std::vector<const char*> places;  ///< paths in the state folder
  const char* what;
  const char* removal;  ///< a command that removes the files, or another way to remove them
};

const std::vector<OwnFiles>& own_files() {
  static const std::vector<OwnFiles> kAll = {
      {{"local/pods"}, "logs and volumes of jobs", "kml delete JOB"},
      {{"local/store.db", "local/store.db-wal"}, "objects of the embedded server", "kml delete JOB"},
      {{"artifacts"}, "files made by steps", "kml gc --keep 0d --keep-last 0"},
      {{"runs"}, "journals of pipelines", "kml run delete RUN"},
      {{"sweeps"}, "journals of sweeps", "kml sweep delete SWEEP"},
      {{"logs"}, "kept copies of logs", "remove the folder"},
      {{"environments"}, "Python packages of jobs", "kml env gc --older-than 0s"},
      {{"venvs"}, "Python packages of KFP steps, made by an earlier version of kml", "remove the folder"},
      {{"git"}, "copies of scheduled repositories", "kml schedule delete NAME"},
      {{"runs.jsonl", "metrics", "gpu_time.jsonl", "submits", "engines", "tracking", "locks"},
       "records of runs",
       "move the files to another disk"},
      {{"local/server.log"}, "log of the embedded server", "remove the file"},
  };
  return kAll;
}

struct UsedSpace {
  uint64_t bytes = 0;
  bool is_complete = true;
};

/// The disk space used by a file, or by the files in a folder. Stops after as many files as it can visit in
/// about a second.
UsedSpace space_of(const fs::path& path) {
  constexpr int kMostFiles = 200'000;
  UsedSpace used;
  std::error_code failure;
  const auto add = [&](const fs::path& file) {
    std::error_code unknown;
    if (const fs::file_status status = fs::symlink_status(file, unknown); fs::is_regular_file(status))
      if (const auto size = fs::file_size(file, unknown); !unknown) used.bytes += size;
  };
  add(path);
  if (!fs::is_directory(path, failure)) return used;
  int files = 0;
  for (fs::recursive_directory_iterator at(path, fs::directory_options::skip_permission_denied, failure), end;
       !failure && at != end; at.increment(failure)) {
    if (++files > kMostFiles) {
      used.is_complete = false;
      break;
    }
    add(at->path());
  }
  return used;
}

struct UsedBy {
  const OwnFiles* files;
  UsedSpace space;
};

std::vector<UsedBy> used_by_kml(const fs::path& state) {
  std::vector<UsedBy> found;
  for (const OwnFiles& files : own_files()) {
    UsedBy one{&files, {}};
    for (const char* place : files.places) {
      const UsedSpace space = space_of(state / place);
      one.space.bytes += space.bytes;
      one.space.is_complete &= space.is_complete;
    }
    if (one.space.bytes > 0) found.push_back(one);
  }
  std::sort(found.begin(), found.end(),
            [](const UsedBy& a, const UsedBy& b) { return a.space.bytes > b.space.bytes; });
  return found;
}

}  // namespace

void explain_full_disk(Error& error) try {
  if (!is_disk_full(error)) return;
  const fs::path state = state_folder();
  constexpr uint64_t kAlmostNothing = 4 << 20;
  if (free_bytes(state) > kAlmostNothing && message_and_why(error).find(state.string()) == std::string::npos)
    return;
  for (const UsedBy& one : used_by_kml(state))
    error.problems.push_back({.path = (state / one.files->places.front()).string(),
                              .text = std::string(one.space.is_complete ? "" : "at least ") +
                                      size_text(one.space.bytes) + " of " + one.files->what + " (" +
                                      one.files->removal + ")"});
} catch (const Error&) {
  // If the state folder is unknown, kml has no files there.
}

}  // namespace kml::cli
