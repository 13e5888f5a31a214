#include "jobs/submit/git_repository.h"
#include "kml/core/process.h"
#include "kml/core/text.h"
#include "kml/jobs/records.h"

namespace kml::jobs {

bool is_in_repository(const std::filesystem::path& folder) {
  std::error_code ignored;
  for (std::filesystem::path at = folder;; at = at.parent_path()) {
    if (std::filesystem::exists(at / ".git", ignored)) return true;
    if (at == at.parent_path()) return false;
  }
}

Json git_state(const std::filesystem::path& folder) {
  constexpr size_t kLargestDiff = size_t{256} << 10;
  if (!is_in_repository(folder)) return {};
  auto git = [&](std::vector<std::string> arguments, size_t limit = 4096) {
    arguments.insert(arguments.begin(), "git");
    return run_process(arguments, {.folder = folder, .limit = limit});
  };
  ProcessResult commit = git({"rev-parse", "HEAD", "--abbrev-ref", "HEAD"});
  if (commit.exit_code != 0) return {};
  std::vector<std::string> lines = split(commit.out, '\n');
  // One byte more than is kept tells whether something was cut.
  ProcessResult diff =
      git({"-c", "core.quotepath=off", "diff", "--no-ext-diff", "--no-color", "--no-textconv", "HEAD"},
          kLargestDiff + 1);
  bool cut = diff.out.size() > kLargestDiff;
  if (cut) diff.out.resize(kLargestDiff);
  Json state = {
      {"commit", lines[0]}, {"branch", lines.size() > 1 ? lines[1] : ""}, {"dirty", !diff.out.empty()}};
  if (!diff.out.empty()) state["diff"] = diff.out;
  if (cut) state["diffCut"] = true;
  return state;
}

}  // namespace kml::jobs
