#pragma once

#include <string>
#include <vector>

#include "kml/job/spec/timetable.h"
#include "pipeline/commands/git_runs.h"
#include "pipeline/commands/run_in_cluster.h"

namespace kml::cli {

/// Where the runs of a branch's commits run in the cluster.
struct GitRunsThere {
  InClusterFlags engine;
  std::string store, secret;  ///< --store, --git-secret
};

/// Creates a CronJob whose pods check the branch: `words` are those of a kml that checks it once. Each run's
/// job belongs to it. Throws Error if they cannot run.
void schedule_git_in_cluster(Context& context, const GitRuns& runs, const GitRunsThere& there,
                             std::vector<std::string> words, const spec::Timetable& timetable);

/// Creates the jobs of the runs for one schedule's commits. The constructor throws Error if there is no such
/// schedule, or if it is about another branch or file.
class JobsOfCommits {
 public:
  JobsOfCommits(Context& context, const GitRuns& runs);

  /// The job that checks out the commit, and is the engine of its run.
  Json job(const std::string& run, const std::string& commit) const;

 private:
  const GitRuns& runs_;
  const ClusterEngine schedule_;
  Json owner_;  ///< a reference to the CronJob, with whose account the jobs run; it does not control them
  const Json claim_;  ///< the claim of the journal; null if there is none
};

struct CommitToRun {
  std::string schedule, run, commit;
  std::vector<std::string> params;
};

/// Called in the pod of such a job, in the checkout. Returns the run. Creates it if this is the job's first
/// pod; it is deleted with the job. Throws usage Error if the commit has no such pipeline.
ClusterEngine run_of_commit(Context& context, const CommitToRun& commit);

}  // namespace kml::cli
