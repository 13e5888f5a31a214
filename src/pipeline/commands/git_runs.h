#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/context.h"
#include "kml/job/submit/git_branch.h"

namespace kml::cli {

/// How many digits of a commit a run's name has, and how long the part before them may be.
inline constexpr size_t kShownOfCommit = 12, kLongestNameOfCommits = 33;

/// The runs for the commits of a branch.
struct GitRuns {
  job::GitBranch branch;
  std::filesystem::path file;  ///< of the pipeline, in the repository
  std::string name;            ///< of the schedule; the runs are NAME-COMMIT
  std::vector<std::string> params;
  bool each;  ///< all new commits, otherwise the newest

  std::string source() const { return branch.repository + "#" + branch.branch; }
};

/// Checks the branch, and starts the runs of new commits: a job for each, whose name only one job can have.
/// Then records the commit on the server. Returns the exit code. Throws Error if the branch cannot be read,
/// or if the name belongs to another branch.
int start_git_runs(Context& context, const GitRuns& runs);

}  // namespace kml::cli
