#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "kml/core/process.h"

namespace kml::jobs {

/// A git command that runs nothing that a repository configures: the folder may be a stranger's. The only way
/// in which kml starts git.
struct GitCall {
  std::vector<std::string> argv;
  ProcessOptions options;
};

/// `git ARGUMENTS` in that folder without hooks, file system monitor, pager and transports. Of its output
/// `limit` bytes are kept.
GitCall safe_git(const std::filesystem::path& folder, const std::vector<std::string>& arguments,
                 size_t limit);

/// `git diff HEAD`, which also leaves out the repository's filters, text conversions and diff programs, and
/// what changed inside of a submodule, where git would obey the submodule's configuration. Filters of the
/// user's own configuration, such as git-lfs, work. Nothing if git cannot say which filters there are.
std::optional<GitCall> safe_git_diff(const std::filesystem::path& folder, size_t limit);

/// Whether the folder (absolute) lies in a git repository. Without starting git, which costs more than the
/// rest of a submit.
bool is_in_repository(const std::filesystem::path& folder);

struct GitHead {
  std::string commit;
  std::string branch;  ///< "HEAD" where none is checked out
};

/// What is checked out where the folder (absolute) lies in a repository, read from its files (gitrepository-
/// layout(5)); git is asked only where they say nothing, as in a repository whose references are a reftable.
/// Nothing before the first commit.
std::optional<GitHead> git_head(const std::filesystem::path& folder);

}  // namespace kml::jobs
