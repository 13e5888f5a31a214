#include "job/submit/job_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kml/base/error.h"
#include "kml/base/text.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/names.h"
#include "kml/kube/objects/object.h"

namespace kml::job {

namespace {

constexpr size_t kLongestLabel = 63, kLongestCronJob = 52;

std::string last_index(const Json& owner, std::string_view count) {
  return std::to_string(std::max(int_at(owner, {count}, 1) - 1, 0LL));
}

bool is_of_ray(const Json& object) {
  return api::api_version_of(object).starts_with("ray.io/");
}

/// Whether the object is a Volcano job. The pods of such a job find each other through a Service.
bool is_of_volcano(const Json& object) {
  return api::api_version_of(object).starts_with("batch.volcano.sh/") &&
         find(object, {"spec", "plugins", "svc"});
}

/// Whether the object's controller derives other names from its name. This is true for jobs, CronJobs,
/// StatefulSets, kinds of kubeflow.org that kml does not follow, and kinds of Ray and Volcano.
bool makes_names(const Json& object) {
  const std::string kind = api::kind_name(object);
  return is_job(object) || kind == "CronJob" || kind == "StatefulSet" || is_of_ray(object) ||
         is_of_volcano(object) || api::api_version_of(object).starts_with("kubeflow.org/");
}

/// The MPI operator makes a Job for the launcher, whose name is a label of its pods and has no index.
bool is_launcher(const Json& job, const std::string& type) {
  return api::kind_name(job) == "MPIJob" && type == "Launcher";
}

/// The longest suffix that a controller appends to the job's name to form a DNS label.
std::string longest_suffix(const Json& job) {
  const std::string kind = api::kind_name(job);
  std::vector<std::string> suffixes = {""};
  const Json& spec = kind == "CronJob" ? object_at(job, {"spec", "jobTemplate", "spec"}) : api::spec_of(job);
  // Pods and Services of the training operator ("tfReplicaSpecs"), the MPI operator's pods, and the pods of
  // its launcher's Job.
  for (const auto& [key, replicas] : object_at(job, {"spec"}).items())
    if (key.ends_with("ReplicaSpecs") && replicas.is_object())
      for (const auto& [type, replica] : replicas.items())
        suffixes.push_back("-" + lower(type) +
                           (is_launcher(job, type) ? "" : "-" + last_index(replica, "replicas")));
  // Host names of a JobSet's pods: NAME-JOB-INDEX-INDEX.
  for (const Json& each : array_at(spec, {"replicatedJobs"}))
    suffixes.push_back("-" + api::entry_name(each) + "-" + last_index(each, "replicas") + "-" +
                       last_index(object_at(each, {"template", "spec"}), "completions"));
  // Host names of an Indexed Job's pods.
  if ((kind == "Job" || kind == "CronJob") && string_at(spec, {"completionMode"}) == "Indexed")
    suffixes.push_back("-" + last_index(spec, "completions"));
  // The label controller-revision-hash of the pods has the value NAME-HASH.
  if (kind == "StatefulSet") suffixes.emplace_back("-0123456789");
  // Host names of Volcano's pods.
  if (is_of_volcano(job))
    for (const Json& task : array_at(spec, {"tasks"}))
      suffixes.push_back("-" + api::entry_name(task) + "-" + last_index(task, "replicas"));
  if (kind == "TrainJob")
    suffixes.push_back("-node-0-" + last_index(object_at(spec, {"trainer"}), "numNodes"));
  // A KubeRay Service. The cluster of a RayJob has five random letters in its name (KubeRay's
  // utils/constant.go).
  if (is_of_ray(job)) suffixes.emplace_back(kind == "RayCluster" ? "-serve-svc" : "-xxxxx-serve-svc");
  return *std::max_element(suffixes.begin(), suffixes.end(),
                           [](const std::string& a, const std::string& b) { return a.size() < b.size(); });
}

/// Whether the job's controller creates a Service with the job's name. Such a name must start with a letter
/// (RFC 1035).
bool has_service(const Json& job) {
  const std::string kind = api::kind_name(job);
  return is_of_volcano(job) || (kind != "Job" && kind != "CronJob" && kind != "StatefulSet");
}

/// The server would only reject the Service after it has created the objects before it.
void check_name_of_service(const Json& object) {
  if (api::kind_name(object) != "Service" || api::api_version_of(object) != "v1") return;
  const std::string name = api::name_of(object);
  const std::string problem = name.empty() ? "" : api::dns_1035_label_problem(name);
  if (!problem.empty())
    throw usage_error(fmt::format("the Service \"{}\" cannot be created", name), "the name " + problem,
                      "use another name, such as " + api::to_dns_1035_label(name));
}

std::string better_name(const Json& job, const std::string& name, size_t limit) {
  return has_service(job) ? api::to_dns_1035_label(name, limit) : api::to_dns_label(name, limit);
}

}  // namespace

void check_job_names(const std::vector<Json>& objects) {
  for (const Json& object : objects) {
    check_name_for_job(object, api::name_of(object), "");
    check_name_of_service(object);
  }
}

void check_name_for_job(const Json& job, const std::string& name, const std::string& appended) {
  const std::string kind = api::kind_name(job);
  if (!makes_names(job) || name.empty()) return;
  const std::string suffix = appended + longest_suffix(job);
  const size_t longest = kind == "CronJob" ? kLongestCronJob : kLongestLabel;
  const size_t limit = longest - std::min(suffix.size(), longest - 1);
  std::string why;
  if (name.size() > limit)
    why = kind == "CronJob"
              ? fmt::format(
                    "the name may have at most {} characters, because the name of each job is this "
                    "name followed by the minute of the job's start",
                    limit)
              : fmt::format(
                    "the name may have at most {} characters, because the controller appends {} "
                    "to it, and the result may have at most {}",
                    limit, suffix, kLongestLabel);
  else if (const std::string problem = api::dns_1035_label_problem(name);
           has_service(job) && !problem.empty())
    why = "the name " + problem + ": the controller creates a Service with this name";
  if (!why.empty())
    throw usage_error(fmt::format("the {} \"{}\" would never start", kind, name + appended), why,
                      "use another name, such as " + better_name(job, name, limit));
}

}  // namespace kml::job
