#pragma once

#include <string>
#include <vector>

namespace kml::job {

/// A branch of a repository that `git fetch` can read: a URL, user@host:path, or a folder.
struct GitBranch {
  std::string repository;  ///< a folder on this machine is absolute
  std::string branch;
};

/// Reads "REPOSITORY#BRANCH", divided at the first "#". Throws Error (usage) if the branch cannot be a
/// branch, or if the URL contains a password, which would be visible in process lists and on the server.
GitBranch parse_git_branch(const std::string& text);

/// The newest commit of the branch, in hexadecimal. Asks no questions. Throws Error if the repository cannot
/// be read, or has no such branch.
std::string newest_commit(const GitBranch& branch);

/// The commits after `old`, to `newest`, oldest first. Only `newest` if `old` is not among its ancestors, as
/// after a forced push. Throws Error if the repository cannot be read.
std::vector<std::string> commits_after(const GitBranch& branch, const std::string& old,
                                       const std::string& newest);

/// A shell command that checks the commit out into a new folder, and then executes `words` there, in its
/// place.
std::vector<std::string> command_in_checkout(const GitBranch& branch, const std::string& commit,
                                             const std::string& folder,
                                             const std::vector<std::string>& words);

}  // namespace kml::job
