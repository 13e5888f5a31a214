#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "kml/base/process.h"

namespace kml::job {

/// A git command that runs no program configured by the repository, because the folder may be from a
/// stranger. kml starts git only in this way.
struct GitCall {
  std::vector<std::string> argv;
  ProcessOptions options;
};

/// Runs `git ARGUMENTS` in that folder without hooks, file system monitor, pager and transports. Keeps up to
/// `limit` bytes of output.
GitCall safe_git(const std::filesystem::path& folder, const std::vector<std::string>& arguments,
                 size_t limit);

/// Runs `git diff HEAD` without the repository's filters, text conversions and diff programs. Leaves out
/// changes inside submodules, where git would obey the submodule's configuration. Filters in the user's own
/// configuration, such as git-lfs, still work. Empty if git cannot list the filters, or if the repository's
/// files are in another folder (core.worktree).
std::optional<GitCall> safe_git_diff(const std::filesystem::path& folder, size_t limit);

/// Runs `git checkout-index` without the repository's filters: writes the files of the index that are below
/// `folder` to the folder `to`, with their paths in the repository. Empty if git cannot list the filters.
std::optional<GitCall> safe_git_checkout(const std::filesystem::path& folder,
                                         const std::filesystem::path& to);

/// Whether the folder (absolute) is in a git repository. Does not start git, which takes longer than the rest
/// of a submit.
bool is_in_repository(const std::filesystem::path& folder);

struct GitHead {
  std::string commit;
  std::string branch;  ///< "HEAD" if no branch is checked out
};

/// The checked-out commit of the folder's repository, read from its files (gitrepository-layout(5)). The
/// folder must be absolute. Runs git only if the files do not show the commit, as with the reftable format.
/// Empty before the first commit.
std::optional<GitHead> git_head(const std::filesystem::path& folder);

}  // namespace kml::job
