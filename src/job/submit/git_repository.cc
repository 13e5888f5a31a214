#include "job/submit/git_repository.h"

#include <algorithm>

#include "kml/base/files.h"
#include "kml/base/system_calls.h"
#include "kml/base/text.h"

namespace kml::job {

namespace {

namespace fs = std::filesystem;

/// The name of an empty environment variable, for settings whose values git reads from the environment.
constexpr const char* kEmpty = "GIT_CONFIG_EMPTY";

/// The ".git" of the repository that the folder is in; empty if it is in none.
fs::path find_git(const fs::path& folder) {
  std::error_code ignored;
  for (fs::path at = folder;; at = at.parent_path()) {
    if (fs::exists(at / ".git", ignored)) return at / ".git";
    if (at == at.parent_path()) return {};
  }
}

/// The single line of a small file; empty if the file does not exist.
std::string line_of(const fs::path& file) {
  return std::string(trim(read_file_if_exists(file).value_or("")));
}

/// Whether a git configuration file may define filters, directly or through an included file.
bool may_filter(const fs::path& config) {
  const std::string text = lower(read_file_if_exists(config).value_or(""));
  return contains(text, "filter") || contains(text, "include") || contains(text, "lfs");
}

/// Whether git must be asked about filters. Most repositories have none, and reading their files is faster
/// than running git. Checks all parent folders, because git ignores a ".git" that is not a repository.
bool may_have_filters(const fs::path& folder) {
  if (!environment("GIT_DIR").empty()) return true;
  std::error_code ignored;
  for (fs::path at = folder;; at = at.parent_path()) {
    const fs::path git = at / ".git";
    if (fs::is_directory(git, ignored) ? fs::exists(git / "commondir", ignored) ||
                                             may_filter(git / "config") || may_filter(git / "config.worktree")
                                       : fs::exists(git, ignored))  // a file that names another folder
      return true;
    if (at == at.parent_path()) return false;
  }
}

/// Options that remove each filter in the repository's own configuration, including git-lfs. Empty if git
/// cannot list the filters.
std::optional<std::vector<std::string>> without_filters(const fs::path& folder) {
  std::vector<std::string> options;
  if (!may_have_filters(folder)) return options;
  const GitCall call = safe_git(
      folder,
      {"config", "-z", "--show-scope", "--name-only", "--get-regexp", R"(^(filter|lfs\.extension)\.)"},
      size_t{1} << 20);
  const ProcessResult asked = run_process(call.argv, call.options);
  constexpr int kNoneFound = 1;
  if (asked.exit_code == kNoneFound) return options;
  if (asked.exit_code != 0 || asked.out.size() == call.options.limit) return std::nullopt;
  const std::vector<std::string> words = split(asked.out, '\0');
  for (size_t i = 0; i + 1 < words.size(); i += 2)  // scope, name
    if (words[i] == "local" || words[i] == "worktree")
      // Unlike -c, this option also works for names that contain "=".
      options.push_back("--config-env=" + words[i + 1] + "=" + kEmpty);
  return options;
}

}  // namespace

GitCall safe_git(const fs::path& folder, const std::vector<std::string>& arguments, size_t limit) {
  GitCall call{{"git", "--no-pager", "--no-optional-locks", "-c", "core.fsmonitor=false", "-c",
                "core.hooksPath=/dev/null", "-c", "safe.bareRepository=explicit", "-c", "core.quotePath=off"},
               {.folder = folder, .limit = limit}};
  call.argv.insert(call.argv.end(), arguments.begin(), arguments.end());
  // Prevents fetching: in a partial clone, git would fetch missing objects, and the transport may run a
  // program.
  call.options.environment = {"GIT_ALLOW_PROTOCOL=none", "GIT_NO_LAZY_FETCH=1", std::string(kEmpty) + "="};
  return call;
}

namespace {

/// Whether the repository's configuration places its files in another folder. An untrusted repository could
/// do that to get all files in that folder into the diff. `git` is the folder's find_git().
bool has_files_elsewhere(const fs::path& folder, const fs::path& git) {
  std::error_code ignored;
  if (fs::is_directory(git, ignored) && !contains(lower(line_of(git / "config")), "worktree")) return false;
  const GitCall call = safe_git(folder, {"rev-parse", "--show-toplevel"}, 4096);
  std::string top = run_process(call.argv, call.options).out;
  if (top.ends_with('\n')) top.pop_back();
  return fs::weakly_canonical(top) != fs::weakly_canonical(git.parent_path());
}

/// Whether a single thread compares the files of this repository with its index faster than git's default.
/// git starts a thread for each 500 files (core.preloadIndex), which only pays off if the system answers
/// slowly, as over a network, or if there are many files.
bool is_fast_to_compare(const fs::path& folder, const fs::path& git) {
  constexpr uintmax_t kIndexOfSomeThousandFiles = uintmax_t{1} << 20;
  std::error_code error;
  const uintmax_t bytes = fs::file_size(git / "index", error);
  return !error && bytes < kIndexOfSomeThousandFiles && is_on_local_disk(folder);
}

}  // namespace

std::optional<GitCall> safe_git_diff(const fs::path& folder, size_t limit) {
  const fs::path git = find_git(folder);
  if (has_files_elsewhere(folder, git)) return std::nullopt;
  std::optional<std::vector<std::string>> arguments = without_filters(folder);
  if (!arguments) return std::nullopt;
  if (is_fast_to_compare(folder, git)) arguments->insert(arguments->end(), {"-c", "core.preloadIndex=false"});
  arguments->insert(arguments->end(),
                    {"diff", "--no-ext-diff", "--no-textconv", "--no-color", "--src-prefix=a/",
                     "--dst-prefix=b/", "--submodule=short", "--ignore-submodules=dirty", "HEAD"});
  return safe_git(folder, *arguments, limit);
}

std::optional<GitCall> safe_git_checkout(const fs::path& folder, const fs::path& to) {
  std::optional<std::vector<std::string>> arguments = without_filters(folder);
  if (!arguments) return std::nullopt;
  arguments->insert(arguments->end(), {"checkout-index", "--all", "--prefix=" + (to / "").string()});
  return safe_git(folder, *arguments, 4096);
}

namespace {

/// The text after `start`; nothing if the text does not start with `start`.
std::optional<std::string> after(const std::string& text, std::string_view start) {
  if (!text.starts_with(start)) return std::nullopt;
  return text.substr(start.size());
}

/// Whether the text is a commit's hash. An untrusted repository could name any other file instead of one with
/// a hash.
bool is_commit(std::string_view text) {
  return (text.size() == 40 || text.size() == 64) &&
         std::ranges::all_of(text, [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
}

/// The commit that git's packed-refs file lists for a reference.
std::string packed_reference(const fs::path& common, const std::string& name) {
  for (const std::string& line : split(read_file_if_exists(common / "packed-refs").value_or(""), '\n'))
    if (line.ends_with(" " + name)) return line.substr(0, line.find(' '));
  return {};
}

GitHead head_in_files(const fs::path& dot_git) {
  fs::path git = dot_git;
  if (!fs::is_directory(git))  // a worktree or submodule has a .git file
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
  if (GitHead head = head_in_files(dot_git); is_commit(head.commit)) return head;
  const GitCall call = safe_git(folder, {"rev-parse", "HEAD", "--abbrev-ref", "HEAD"}, 4096);
  const ProcessResult asked = run_process(call.argv, call.options);
  const std::vector<std::string> lines = split(asked.out, '\n');
  if (asked.exit_code != 0 || lines.size() < 2 || !is_commit(lines[0])) return std::nullopt;
  return GitHead{lines[0], lines[1]};
}

}  // namespace kml::job
