#include "kml/jobs/git_state.h"

#include "jobs/submit/git_repository.h"
#include "jobs/submit/safe_git.h"

namespace kml::jobs {

namespace {

constexpr size_t kLargestDiff = size_t{256} << 10;

}  // namespace

GitState::GitState(const std::filesystem::path& folder) : folder_(folder) {
  if (!is_in_repository(folder)) return;
  // One byte more than is kept tells whether something was cut.
  if (const std::optional<GitCall> call = safe_git_diff(folder, kLargestDiff + 1))
    diff_.emplace(call->argv, call->options);
}

Json GitState::take() {
  if (!diff_) return {};
  ProcessResult diff = diff_->finish();
  const std::optional<GitHead> head = git_head(folder_);
  if (diff.exit_code != 0 || !head) return {};
  Json state = {{"commit", head->commit}, {"branch", head->branch}, {"dirty", !diff.out.empty()}};
  if (diff.out.size() > kLargestDiff) {
    diff.out.resize(kLargestDiff);
    state["diffCut"] = true;
  }
  if (!diff.out.empty()) state["diff"] = diff.out;
  return state;
}

}  // namespace kml::jobs
