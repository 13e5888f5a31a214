#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "kml/base/process.h"

namespace kml::job {

/// A git command that runs no program from the repository's configuration, because someone else may have made
/// the folder. In folders that kml has not made itself, it starts git only in this way.
struct GitCall {
  std::vector<std::string> argv;
  ProcessOptions options;
};

/// A call of `git ARGUMENTS` in that folder without hooks, file system monitor, pager and transports. It
/// keeps at most `limit` bytes of output.
GitCall safe_git(const std::filesystem::path& folder, const std::vector<std::string>& arguments,
                 size_t limit);

/// A call of `git diff HEAD` without the repository's own filters, text conversions and diff programs. It
/// leaves out changes inside submodules, because git would use the submodule's configuration there. Filters
/// in the user's own configuration, such as git-lfs, still work. Empty if git cannot list the filters, or if
/// the repository's files are in a different folder (core.worktree).
std::optional<GitCall> safe_git_diff(const std::filesystem::path& folder, size_t limit);

/// A call of `git checkout-index` without the repository's filters. It writes the files in the index that are
/// below `folder` into the folder `to`, with their paths in the repository. Empty if git cannot list the
/// filters.
std::optional<GitCall> safe_git_checkout(const std::filesystem::path& folder,
                                         const std::filesystem::path& to);

/// Whether the folder is in a git repository. The path must be absolute. Does not run git, which would take
/// longer than the rest of a submit.
bool is_in_repository(const std::filesystem::path& folder);

struct GitHead {
  std::string commit;
  std::string branch;  ///< "HEAD" if no branch is checked out
};

/// The checked-out commit of the folder's repository, read from git's files (gitrepository-layout(5)). The
/// path must be absolute. Only runs git if the files do not show the commit, as in the reftable format. Empty
/// if there is none, as before the first commit.
std::optional<GitHead> git_head(const std::filesystem::path& folder);

}  // namespace kml::job
