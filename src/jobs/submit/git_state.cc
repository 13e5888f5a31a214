#include "kml/jobs/submit/git_state.h"

#include <algorithm>

#include "jobs/submit/git_repository.h"
#include "jobs/submit/safe_git.h"
#include "kml/core/text.h"

namespace kml::jobs {

namespace {

constexpr size_t kLargestDiff = size_t{256} << 10;

/// Whether "diff --git a/FILE b/FILE" is about a .env, .env.local, .envrc or prod.env: files of passwords.
bool is_of_env_file(std::string_view header) {
  return contains(header, "/.env") || contains(header, ".env b/") || header.ends_with(".env") ||
         contains(header, ".env\"");
}

/// The diff without what such files hold.
std::string without_env_files(const std::string& diff) {
  std::string kept;
  bool is_left_out = false;
  for (size_t begin = 0; begin < diff.size();) {
    const size_t end = std::min(diff.find('\n', begin), diff.size() - 1) + 1;
    const std::string_view line = std::string_view(diff).substr(begin, end - begin);
    const bool is_header = line.starts_with("diff --git ");  // a file's own lines begin with ' ', '+' or '-'
    if (is_header) is_left_out = is_of_env_file(trim(line));
    if (is_header || !is_left_out) kept += line;
    if (is_header && is_left_out) kept += "(kept out of the record)\n";
    begin = end;
  }
  return kept;
}

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
  if (!diff.out.empty()) state["diff"] = without_env_files(diff.out);
  return state;
}

}  // namespace kml::jobs
