#include "kml/jobs/git_state.h"

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

}  // namespace

GitState::GitState(const std::filesystem::path& folder) {
  if (!is_in_repository(folder)) return;
  head_.emplace(std::vector<std::string>{"git", "rev-parse", "HEAD", "--abbrev-ref", "HEAD"},
                ProcessOptions{.folder = folder, .limit = 4096});
  // One byte more than is kept tells whether something was cut.
  diff_.emplace(std::vector<std::string>{"git", "-c", "core.quotepath=off", "diff", "--no-ext-diff",
                                         "--no-color", "--no-textconv", "HEAD"},
                ProcessOptions{.folder = folder, .limit = kLargestDiff + 1});
}

Json GitState::take() {
  if (!head_) return {};
  const ProcessResult head = head_->finish();
  ProcessResult diff = diff_->finish();
  if (head.exit_code != 0) return {};
  const std::vector<std::string> lines = split(head.out, '\n');
  const bool cut = diff.out.size() > kLargestDiff;
  if (cut) diff.out.resize(kLargestDiff);
  Json state = {
      {"commit", lines[0]}, {"branch", lines.size() > 1 ? lines[1] : ""}, {"dirty", !diff.out.empty()}};
  if (!diff.out.empty()) state["diff"] = diff.out;
  if (cut) state["diffCut"] = true;
  return state;
}

}  // namespace kml::jobs
