#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace kml::jobs {

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
