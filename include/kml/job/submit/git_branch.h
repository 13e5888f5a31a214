#pragma once

#include <string>
#include <vector>

namespace kml::job {

/// A branch of a repository that `git fetch` can read. The repository is a URL, user@host:path, or a folder.
struct GitBranch {
  std::string repository;  ///< for a folder on this machine: its absolute path
  std::string branch;
};

/// Parses "REPOSITORY#BRANCH", which is split at the first "#". Throws usage Error if the name cannot be a
/// branch, or if the URL contains a password or a token, which would be visible in lists of processes and on
/// the server. Throws Error if git is not installed.
GitBranch parse_git_branch(const std::string& text);

/// The newest commit of the branch, in hexadecimal. Does not ask the user for anything. Throws Error if the
/// repository cannot be read, or does not have the branch.
std::string newest_commit(const GitBranch& branch);

/// The commits after `old` up to `newest`, oldest first. If `old` is not an ancestor of `newest`, as after a
/// forced push, only `newest`. Throws Error if the repository cannot be read.
std::vector<std::string> commits_after(const GitBranch& branch, const std::string& old,
                                       const std::string& newest);

/// A shell command that checks out the commit into a new folder, and then runs `words` there in place of the
/// shell.
std::vector<std::string> command_in_checkout(const GitBranch& branch, const std::string& commit,
                                             const std::string& folder,
                                             const std::vector<std::string>& words);

}  // namespace kml::job
