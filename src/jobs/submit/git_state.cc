#include "kml/jobs/git_state.h"

#include <algorithm>

#include "jobs/submit/git_repository.h"
#include "kml/core/text.h"

namespace kml::jobs {

bool is_in_repository(const std::filesystem::path& folder) {
  std::error_code ignored;
  for (std::filesystem::path at = folder;; at = at.parent_path()) {
    if (std::filesystem::exists(at / ".git", ignored)) return true;
    if (at == at.parent_path()) return false;
  }
}

namespace {

constexpr size_t kLargestDiff = size_t{256} << 10;

/// After the header line "# NAME " of git's porcelain format, version 2.
std::string header(const std::vector<std::string>& lines, const std::string& name) {
  const std::string start = "# " + name + " ";
  for (const std::string& line : lines)
    if (line.starts_with(start)) return line.substr(start.size());
  return {};
}

}  // namespace

GitState::GitState(const std::filesystem::path& folder) : folder_(folder) {
  if (!is_in_repository(folder)) return;
  // One process tells all of a clean tree. Its output is cut: whether there is a change counts, not each.
  // It takes no lock, which a commit in another shell would stumble over.
  status_.emplace(std::vector<std::string>{"git", "--no-optional-locks", "status", "--porcelain=v2",
                                           "--branch", "--untracked-files=no"},
                  ProcessOptions{.folder = folder, .limit = 4096});
}

Json GitState::take() {
  if (!status_) return {};
  const ProcessResult status = status_->finish();
  const std::vector<std::string> lines = split(status.out, '\n');
  const std::string commit = header(lines, "branch.oid");
  if (status.exit_code != 0 || commit == "(initial)") return {};
  const bool dirty = std::any_of(lines.begin(), lines.end(),
                                 [](const std::string& line) { return !line.empty() && line[0] != '#'; });
  Json state = {{"commit", commit}, {"branch", header(lines, "branch.head")}, {"dirty", dirty}};
  if (!dirty) return state;
  // One byte more than is kept tells whether something was cut.
  ProcessResult diff = run_process(
      {"git", "-c", "core.quotepath=off", "diff", "--no-ext-diff", "--no-color", "--no-textconv", "HEAD"},
      {.folder = folder_, .limit = kLargestDiff + 1});
  if (diff.out.size() > kLargestDiff) {
    diff.out.resize(kLargestDiff);
    state["diffCut"] = true;
  }
  state["diff"] = diff.out;
  return state;
}

}  // namespace kml::jobs
