#include "jobs/submit/git_repository.h"

#include "jobs/submit/safe_git.h"
#include "kml/core/files.h"
#include "kml/core/text.h"

namespace kml::jobs {

namespace {

namespace fs = std::filesystem;

/// The ".git" of the folder's repository; empty where it lies in none.
fs::path find_git(const fs::path& folder) {
  std::error_code ignored;
  for (fs::path at = folder;; at = at.parent_path()) {
    if (fs::exists(at / ".git", ignored)) return at / ".git";
    if (at == at.parent_path()) return {};
  }
}

/// The one line of a small file; empty where there is none.
std::string line_of(const fs::path& file) {
  return std::string(trim(read_file_if_exists(file).value_or("")));
}

/// What follows `start`; nothing where the text begins otherwise.
std::optional<std::string> after(const std::string& text, std::string_view start) {
  if (!text.starts_with(start)) return std::nullopt;
  return text.substr(start.size());
}

/// The commit of a reference among those that git has packed into one file.
std::string packed_reference(const fs::path& common, const std::string& name) {
  for (const std::string& line : split(read_file_if_exists(common / "packed-refs").value_or(""), '\n'))
    if (line.ends_with(" " + name)) return line.substr(0, line.find(' '));
  return {};
}

GitHead head_in_files(const fs::path& dot_git) {
  fs::path git = dot_git;
  if (!fs::is_directory(git))  // a worktree's or a submodule's
    git = dot_git.parent_path() / after(line_of(dot_git), "gitdir: ").value_or("");
  const std::string shared = line_of(git / "commondir");
  const fs::path common = shared.empty() ? git : git / shared;
  const std::string head = line_of(git / "HEAD");
  const std::optional<std::string> reference = after(head, "ref: ");
  if (!reference) return {head, "HEAD"};
  std::string commit = line_of(common / *reference);
  if (commit.empty()) commit = packed_reference(common, *reference);
  return {commit, after(*reference, "refs/heads/").value_or(*reference)};
}

}  // namespace

bool is_in_repository(const fs::path& folder) {
  return !find_git(folder).empty();
}

std::optional<GitHead> git_head(const fs::path& folder) {
  const fs::path dot_git = find_git(folder);
  if (dot_git.empty()) return std::nullopt;
  if (GitHead head = head_in_files(dot_git); !head.commit.empty()) return head;
  const GitCall call = safe_git(folder, {"rev-parse", "HEAD", "--abbrev-ref", "HEAD"}, 4096);
  const ProcessResult asked = run_process(call.argv, call.options);
  const std::vector<std::string> lines = split(asked.out, '\n');
  if (asked.exit_code != 0 || lines.size() < 2) return std::nullopt;
  return GitHead{lines[0], lines[1]};
}

}  // namespace kml::jobs
