#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kml/jobs/views/job_view.h"
#include "kml/kube/client.h"

namespace kml::jobs {

/// The job of that name: "bert", "job/bert", "pytorchjob/bert", "job.batch/bert". Throws Error: none, with
/// the nearest right name; or both a Job and a PyTorchJob.
Json find_job(kube::Client& client, std::string_view namespace_name, std::string_view name);

struct JobIndex {
  Json job;
  int index = 0;  ///< as rank_of() counts
};

/// "lr1-8": task 8 of the Indexed Job lr1, as the trial of a sweep is called whose trials are one Job.
std::optional<JobIndex> find_index(kube::Client& client, std::string_view namespace_name,
                                   std::string_view name);

/// Whether the server says by this answer that it has no such kind. A plain user's rights do not cover
/// unknown kinds, so that a server forbids them (403) rather than to say so (404).
bool is_missing_kind(const api::ResourceKind& kind, const Error& error);

/// All jobs of all kinds, but those that are a part of another, one list a kind. A kind that the cluster does
/// not have is not an error.
std::vector<Json> list_jobs(kube::Client& client, std::string_view namespace_name,
                            const std::string& label_selector = {});

/// Pods, found by their job.
class PodsByJob {
 public:
  PodsByJob() = default;
  explicit PodsByJob(std::vector<Json> pods);
  PodsByJob(PodsByJob&&) = default;
  PodsByJob& operator=(PodsByJob&&) = default;
  std::span<const Json* const> of(const Json& job) const;

 private:
  std::vector<Json> pods_;
  std::map<std::string, std::vector<const Json*>, std::less<>> by_job_;
};

/// The pods of all jobs there. `label_selector` selects among pods.
PodsByJob list_pods(kube::Client& client, std::string_view namespace_name,
                    const std::string& label_selector = {});

/// Those of one job, whole.
std::vector<Json> pods_of(kube::Client& client, const Json& job);

/// What a table of jobs is made of.
struct Listing {
  std::vector<Json> jobs;
  PodsByJob pods;
};

/// All jobs, but those that are a part of another, and the pods there: with what a table shows, not whole
/// (see kube::list_briefly). All lists are asked for at once. A kind that the cluster does not have is no
/// error.
Listing list_for_table(kube::Client& client, const std::string& namespace_name,
                       const std::string& label_selector);

}  // namespace kml::jobs
