#include "job/submit/code_at_commit.h"

#include <algorithm>
#include <string>

#include "job/submit/git_repository.h"
#include "job/submit/scratch_folder.h"
#include "kml/base/files.h"
#include "kml/base/process.h"

namespace kml::job {

namespace {

bool succeeds(const std::optional<GitCall>& call) {
  return call && run_process(call->argv, call->options).exit_code == 0;
}

/// The path of the folder in its repository: "" or "src/".
std::string path_in_repository(const std::filesystem::path& folder) {
  constexpr size_t kLongestPath = 8192;
  const GitCall call = safe_git(folder, {"rev-parse", "--show-prefix"}, kLongestPath);
  std::string path = run_process(call.argv, call.options).out;
  if (path.ends_with('\n')) path.pop_back();
  return path;
}

/// Writes the commit's files. Git does not let a name or a link in the commit lead out of the tree.
bool check_out(const std::filesystem::path& folder, const std::string& commit,
               const std::filesystem::path& index, const std::filesystem::path& tree) {
  std::optional<GitCall> calls[] = {safe_git(folder, {"read-tree", "--end-of-options", commit}, 4096),
                                    safe_git_checkout(folder, tree)};
  return std::ranges::all_of(calls, [&](std::optional<GitCall>& call) {
    if (call) call->options.environment.push_back("GIT_INDEX_FILE=" + index.string());
    return succeeds(call);
  });
}

}  // namespace

std::optional<Code> code_at_commit(const std::filesystem::path& folder, const Json& git) {
  const std::string commit = string_at(git, {"commit"}), diff = string_at(git, {"diff"});
  std::error_code none;
  if (commit.empty() || bool_at(git, {"diffCut"}) || !std::filesystem::is_directory(folder, none)) return {};
  const ScratchFolder scratch;
  const std::filesystem::path patch = scratch.path() / "diff", tree = scratch.path() / "tree";
  const std::string prefix = path_in_repository(folder);
  std::filesystem::create_directory(tree);
  if (!check_out(folder, commit, scratch.path() / "index", tree)) return {};
  write_file_atomically(patch, diff);
  if (!diff.empty() &&
      !succeeds(safe_git(tree, {"apply", "--include=" + prefix + "*", patch.string()}, 4096)))
    return {};
  if (!std::filesystem::is_directory(tree / prefix, none)) return {};
  return pack_code(tree / prefix);
}

}  // namespace kml::job
