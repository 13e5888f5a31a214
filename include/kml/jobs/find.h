#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kml/jobs/job_view.h"
#include "kml/kube/client.h"

namespace kml::jobs {

/// The job of that name: "bert", "job/bert", "pytorchjob/bert", "job.batch/bert". Throws Error: none, with
/// the nearest right name; or two of different kinds.
Json find_job(kube::Client& client, std::string_view namespace_name, std::string_view name);

/// All jobs of all kinds, one list a kind. A kind that the cluster does not have is no error.
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

}  // namespace kml::jobs
