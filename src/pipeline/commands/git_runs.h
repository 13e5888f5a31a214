#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/context.h"
#include "kml/job/submit/git_branch.h"

namespace kml::cli {

/// How many digits of the commit a run's name contains, and how long the part before them may be.
inline constexpr size_t kShownOfCommit = 12, kLongestNameOfCommits = 33;

/// Which runs to start for the commits of a branch.
struct GitRuns {
  job::GitBranch branch;
  std::filesystem::path file;  ///< the pipeline's path in the repository
  std::string name;            ///< the name of the schedule; runs are called NAME-COMMIT
  std::vector<std::string> params;
  bool each;  ///< whether every new commit gets a run, or only the newest one

  std::string source() const { return branch.repository + "#" + branch.branch; }
};

/// Checks the branch, and starts runs for new commits. Each run has a job with a unique name, so that no run
/// is started twice. Then records the commit on the server. Returns the exit code. Throws Error if the branch
/// cannot be read, or if the name is used for another branch or file.
int start_git_runs(Context& context, const GitRuns& runs);

}  // namespace kml::cli
