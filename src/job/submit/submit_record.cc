#include "kml/job/submit/submit_record.h"

#include <algorithm>
#include <filesystem>

#include "job/submit/git_repository.h"
#include "job/submit/secret_env.h"
#include "kml/base/sha256.h"
#include "kml/base/text.h"
#include "kml/job/records/records.h"

namespace kml::job {

namespace {

constexpr size_t kLargestDiff = size_t{256} << 10;

/// Whether the header "diff --git a/FILE b/FILE" belongs to a file that often contains passwords: .env,
/// .env.local, .envrc or prod.env.
bool is_of_env_file(std::string_view header) {
  return contains(header, "/.env") || contains(header, ".env b/") || header.ends_with(".env") ||
         contains(header, ".env\"");
}

/// The diff without the changes to files that often contain passwords.
std::string without_env_files(const std::string& diff) {
  std::string kept;
  bool is_left_out = false;
  for (size_t begin = 0; begin < diff.size();) {
    const size_t end = std::min(diff.find('\n', begin), diff.size() - 1) + 1;
    const std::string_view line = std::string_view(diff).substr(begin, end - begin);
    const bool is_header = line.starts_with("diff --git ");  // lines of files start with ' ', '+' or '-'
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
  // Reads one byte more than the limit, to see whether the diff is complete.
  if (const std::optional<GitCall> call = safe_git_diff(folder, kLargestDiff + 1))
    diff_.emplace(call->argv, call->options);
}

Json GitState::take() {
  if (!diff_) return {};
  ProcessResult diff = diff_->finish();
  const std::optional<GitHead> head = git_head(folder_);
  if (diff.exit_code != 0 || !head) return {};
  Json state = {{"commit", head->commit}, {"branch", head->branch}, {"dirty", !diff.out.empty()}};
  const bool is_cut = diff.out.size() > kLargestDiff;
  if (is_cut) diff.out.resize(kLargestDiff);
  set_said(state, {{"diffCut", is_cut ? Json(true) : Json()}, {"diff", without_env_files(diff.out)}});
  return state;
}

Json without_diff(Json git) {
  constexpr size_t kDigits = 12;
  if (const std::string diff = string_at(git, {"diff"}); !diff.empty()) {
    git["diffDigest"] = sha256_hex(diff).substr(0, kDigits);
    git.erase("diff");
  }
  return git;
}

SubmitRecord::SubmitRecord() : git_(std::filesystem::current_path()) {}

void SubmitRecord::begin(const SubmitPlan& plan, const kube::Target& target) {
  Submission submission;
  submission.id = run_id_ = plan.submit_id;
  submission.time = system_clock().now();
  submission.user = plan.user;
  submission.context = target.context;
  submission.namespace_name = target.namespace_name;
  submission.server = target.endpoint.url;
  submission.template_name = plan.template_name;
  submission.command = plan.command;
  submission.code_folder = plan.code_folder;
  submission.packages = plan.packages;
  submission.folder = std::filesystem::current_path();
  for (const Json& object : plan.objects) {
    submission.objects.push_back(without_secrets(object));
    take_out_secrets(submission.objects.back());
  }
  Submissions::of_user().add_intent(submission);
}

std::string SubmitRecord::end(const std::optional<std::vector<std::string>>& made) try {
  const Submissions records = Submissions::of_user();
  if (made) records.add_sent(run_id_, *made);
  const Json git = git_.take();
  if (git.is_null()) return {};
  records.add_git(run_id_, git);
  return bool_at(git, {"diffCut"})
             ? "the run record has only the first 256 KiB of the changes since the last commit"
             : "";
} catch (const Error& error) {
  return "the record of this submission is incomplete: " + message_and_why(error) +
         (error.reason == "InsufficientStorage" ? "; free up space there: `kml runs` and `kml rerun` need it"
                                                : "");
}

}  // namespace kml::job
