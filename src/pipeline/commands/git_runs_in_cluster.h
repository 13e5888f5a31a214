#pragma once

#include <string>
#include <vector>

#include "kml/job/spec/timetable.h"
#include "pipeline/commands/git_runs.h"
#include "pipeline/commands/run_in_cluster.h"

namespace kml::cli {

/// How the runs for a branch's commits are started in the cluster.
struct GitRunsThere {
  InClusterFlags engine;
  std::string store, secret;  ///< --store, --git-secret
};

/// Creates a CronJob whose pods check the branch. `words` are the arguments with which kml checks the branch
/// once. The CronJob owns the job of each run. Throws Error if the pods cannot run.
void schedule_git_in_cluster(Context& context, const GitRuns& runs, const GitRunsThere& there,
                             std::vector<std::string> words, const spec::Timetable& timetable);

/// Creates the jobs for the runs of a schedule's commits. The constructor throws Error if the schedule does
/// not exist, or if it is about another branch or file.
class JobsOfCommits {
 public:
  JobsOfCommits(Context& context, const GitRuns& runs);

  /// The job for a commit, which checks out the commit and runs the engine.
  Json job(const std::string& run, const std::string& commit) const;

 private:
  const GitRuns& runs_;
  const ClusterEngine schedule_;
  /// a reference to the CronJob as owner, not as controller; the jobs use the CronJob's account
  Json owner_;
  const Json claim_;  ///< the claim with the journal; null if there is none
};

struct CommitToRun {
  std::string schedule, run, commit;
  std::vector<std::string> params;
};

/// Called in a pod of the job for a commit, in the checked-out folder. Returns the run. Creates it if this is
/// the first pod of the job; the run is deleted with the job. Throws usage Error if the commit does not
/// contain the pipeline.
ClusterEngine run_of_commit(Context& context, const CommitToRun& commit);

}  // namespace kml::cli
