#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kml/job/views/job_view.h"
#include "kml/kube/client/client.h"

namespace kml::job {

/// The job with this name: "bert", "job/bert", "pytorchjob/bert" or "job.batch/bert". Throws Error if no job
/// has the name, or if both a Job and a PyTorchJob have it. If other kinds share the name, the first kind in
/// the order of kinds_to_ask() is found.
Json find_job(kube::Client& client, std::string_view namespace_name, std::string_view name);

/// The requests that find_job() and then pods_of() send for a Job, and for a job of job_kinds() whose kind is
/// in the name ("mpijob/bert"). Empty for "rayjob/bert" and other described kinds.
std::vector<http::Request> requests_about_job(std::string_view namespace_name, std::string_view name);

/// The two parts of "pytorchjob/bert" or "job.batch/bert".
struct KindAndName {
  std::string_view word;                    ///< "pytorchjob"
  const api::ResourceKind* kind = nullptr;  ///< the kind; null if no kind has that name
  std::string_view name;
};
/// Empty if the text has no slash.
std::optional<KindAndName> split_kind(std::string_view text);

struct JobIndex {
  Json job;
  int index = 0;  ///< as in rank_of()
};

/// Finds "lr1-8", which is task 8 of the Indexed Job lr1. Trials have such names if their sweep runs as one
/// Job.
std::optional<JobIndex> find_index(kube::Client& client, std::string_view namespace_name,
                                   std::string_view name);

/// Whether the error may mean that the server does not have the kind. An ordinary user has no rights to
/// unknown kinds, so the server may respond with 403, not 404.
bool is_missing_kind(const api::ResourceKind& kind, const Error& error);

/// The kinds of jobs to ask the server for: job_kinds(), and the described kinds that the server is not known
/// to lack.
std::vector<const api::ResourceKind*> kinds_to_ask(kube::Client& client, std::string_view namespace_name);
/// Whether the error may mean that the server does not have the kind (is_missing_kind()). If so,
/// kinds_to_ask() leaves out the kind for some minutes, if it is a described kind.
bool take_absence(kube::Client& client, const api::ResourceKind& kind, std::string_view namespace_name,
                  const Error& error);

/// The requests that list_jobs() sends.
std::vector<http::Request> requests_of_list(kube::Client& client, std::string_view namespace_name,
                                            const std::string& label_selector = {});

/// All jobs of all kinds, except jobs that are part of another job. Sends one list request per kind, all at
/// once. It is not an error if the cluster lacks a kind.
std::vector<Json> list_jobs(kube::Client& client, std::string_view namespace_name,
                            const std::string& label_selector = {});

/// Pods by job_key_of_pod().
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

/// All pods in the namespace that `label_selector` selects.
PodsByJob list_pods(kube::Client& client, std::string_view namespace_name,
                    const std::string& label_selector = {});

/// The complete pods of one job, found by Ownership.
std::vector<Json> pods_of(kube::Client& client, const Json& job);
/// The pods of one job that `which` selects.
std::vector<Json> pods_of(kube::Client& client, const Json& job, const kube::ListOptions& which);

/// The data for a table of jobs.
struct Listing {
  std::vector<Json> jobs;
  PodsByJob pods;
};

/// All pods, and all jobs except jobs that are part of another job, with only the fields that a table shows
/// (see kube::list_briefly). `label_selector` selects jobs, not pods. Sends all list requests at once. It is
/// not an error if the cluster lacks a kind.
Listing list_for_table(kube::Client& client, const std::string& namespace_name,
                       const std::string& label_selector);

}  // namespace kml::job
