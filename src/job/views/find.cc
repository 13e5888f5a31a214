#include "kml/job/views/find.h"

#include <fmt/format.h>

#include "kml/base/suggestion.h"
#include "kml/base/text.h"
#include "kml/job/kinds/job_kind.h"
#include "kml/job/views/kinds.h"
#include "kml/job/views/ownership.h"
#include "kml/job/views/pod_view.h"
#include "kml/kube/list/brief_list.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"

namespace kml::job {

namespace {

/// The object; empty if it does not exist. Also empty if the server does not have the kind, so that jobs of
/// other kinds are still found.
std::optional<Json> get_if_served(kube::Client& client, const api::ResourceKind& kind,
                                  std::string_view namespace_name, std::string_view name) {
  auto found = client.try_get(kind, namespace_name, name);
  Error* error = std::get_if<Error>(&found);
  if (!error) return std::get<Json>(std::move(found));
  if (error->reason != "NotFound" && !take_absence(client, kind, namespace_name, *error))
    throw std::move(*error);
  return {};
}

std::string key_in_namespace(const Json& object, const std::string& key) {
  return api::namespace_of(object) + "/" + key;
}

/// The job's name as users type it: "pytorchjob/bert".
std::string word_for(const Json& job) {
  const api::ResourceKind* kind = api::kind_of(job);
  return std::string(kind ? kind->singular : "job") + "/" + api::name_of(job);
}

/// The tasks of an array job, in words: "0 to 4" or "3,7,9-12".
std::string tasks_in_words(const Json& job) {
  if (const auto numbers = task_numbers(api::pod_template_of(job))) return numbers->in_words();
  return fmt::format("0 to {}", api::completions_of(job) - 1);
}

Error not_found(std::string message, std::string why, std::string fix) {
  Error error(ErrorCode::failure, std::move(message), std::move(why), std::move(fix));
  error.reason = "NotFound";
  return error;
}

/// The Error for a name that no job has, if `job` explains it: the name is that of the sweep or run to which
/// `job` belongs, or of a task that `job` does not have.
std::optional<Error> other_meaning(const Json& job, const std::string& no_job, const std::string& name) {
  if (api::label_of(job, api::kSweep) == name)
    return not_found(no_job, name + " is a sweep",
                     fmt::format("`kml sweep status {0}` shows it, `kml sweep stop {0}` stops it, `kml sweep "
                                 "delete {0}` deletes it",
                                 name));
  if (api::label_of(job, api::kRun) == name)
    return not_found(
        no_job, name + " is a run of a pipeline",
        fmt::format(
            "`kml run status {0}` shows it, `kml run stop {0}` stops it, `kml run delete {0}` deletes it",
            name));
  const std::string array = api::name_of(job);
  if (!api::is_indexed(job) || !name.starts_with(array + "-")) return {};
  const std::string task = name.substr(array.size() + 1);
  if (!whole_number(task)) return {};
  return not_found(fmt::format("job {} has no task {}", array, task), "its tasks are " + tasks_in_words(job),
                   "kml status " + array);
}

/// A kind of object that is not a job, and how to explain this to a user who took the object's name for a
/// job's.
struct OtherObject {
  const char *api_version, *kind;
  std::string_view label;  ///< a label of objects that kml made; empty if all objects of the kind match
  const char *what, *fix;
};

/// The Error for a name that no job has, if a schedule or a served program has the name. Without this Error,
/// kml could propose a similar name, and the user could delete a different job.
std::optional<Error> other_object(kube::Client& client, std::string_view namespace_name,
                                  const std::string& no_job, const std::string& name) {
  static const OtherObject kOthers[] = {
      {"batch/v1", "CronJob", "", "a schedule",
       "`kml why {0}` shows its next start, `kml schedule pause {0}` pauses it, `kml schedule resume {0}` "
       "resumes it, `kml schedule delete {0}` "
       "deletes it"},
      {"apps/v1", "Deployment", api::kServe, "served by `kml serve`",
       "`kml serve status {0}` shows it, `kml serve stop {0}` stops it"},
  };
  for (const OtherObject& other : kOthers) {
    const auto found = client.try_get(*api::find_kind(other.api_version, other.kind), namespace_name, name);
    const Json* object = std::get_if<Json>(&found);
    if (object && (other.label.empty() || !api::label_of(*object, other.label).empty()))
      return not_found(no_job, name + " is " + other.what, fmt::format(fmt::runtime(other.fix), name));
  }
  return {};
}

/// The Error for a name that no job has, if one of a job's pods has the name.
std::optional<Error> pod_of_job(kube::Client& client, std::string_view namespace_name,
                                const std::string& no_job, const std::string& name) {
  const auto found = client.try_get(*api::find_kind("v1", "Pod"), namespace_name, name);
  const Json* pod = std::get_if<Json>(&found);
  const std::string key = pod ? job_key_of_pod(*pod) : "";
  if (key.empty()) return {};
  const std::string job = parts_of_key(key).name;
  return not_found(no_job, name + " is a pod of job " + job, "use the job's name: " + job);
}

Error no_such_job(kube::Client& client, std::string_view namespace_name, std::string_view name) {
  const std::string no_job = fmt::format("no job \"{}\" in namespace {}", name, namespace_name);
  std::vector<std::string> names;
  for (const Json& job : list_jobs(client, namespace_name)) {
    if (std::optional<Error> other = other_meaning(job, no_job, std::string(name))) return *other;
    names.push_back(api::name_of(job));
  }
  for (const auto other : {other_object, pod_of_job})
    if (std::optional<Error> error = other(client, namespace_name, no_job, std::string(name))) return *error;
  return not_found(no_job, "", suggestion(name, names, "`kml list` shows the jobs there"));
}

/// Whether jobs often have this kind. Each kind needs a request, so the other kinds are only requested if no
/// job of a common kind has the name.
bool is_common(const api::ResourceKind& kind) {
  return kind.kind == "Job" || kind.kind == "PyTorchJob";
}

/// The requests that find_job() sends first.
std::vector<http::Request> requests_of_find(std::string_view namespace_name, std::string_view name) {
  std::vector<http::Request> requests;
  const auto named = split_kind(name);
  for (const api::ResourceKind* kind : job_kinds())
    if (named ? kind == named->kind : is_common(*kind))
      requests.push_back(kube::get_request(*kind, namespace_name, named ? named->name : name));
  return requests;
}

}  // namespace

std::vector<const api::ResourceKind*> kinds_to_ask(kube::Client& client, std::string_view namespace_name) {
  std::vector<const api::ResourceKind*> kinds(job_kinds().begin(), job_kinds().end());
  for (const api::ResourceKind* kind : described_resources())
    if (!client.absent_kinds().has(*kind, namespace_name)) kinds.push_back(kind);
  return kinds;
}

bool take_absence(kube::Client& client, const api::ResourceKind& kind, std::string_view namespace_name,
                  const Error& error) {
  if (!is_missing_kind(kind, error)) return false;
  client.absent_kinds().add(kind, namespace_name, error.http_status);
  return true;
}

bool is_missing_kind(const api::ResourceKind& kind, const Error& error) {
  const bool is_kubernetes_own =
      kind.group.empty() || kind.group == "batch" || kind.group == "scheduling.k8s.io";
  return !is_kubernetes_own && (error.http_status == 404 || error.http_status == 403);
}

Json find_job(kube::Client& client, std::string_view namespace_name, std::string_view name) {
  if (const auto named = split_kind(name)) {
    if (!named->kind || !is_job_kind(*named->kind))
      throw usage_error("\"" + std::string(named->word) + "\" is not a kind of job", "",
                        "use job/NAME, pytorchjob/NAME, or another kind of `kml kind list`");
    if (auto job = client.get_if_exists(*named->kind, namespace_name, named->name)) return *job;
    throw no_such_job(client, namespace_name, named->name);
  }
  const auto ahead = client.ask_ahead(requests_of_find(namespace_name, name));
  std::vector<Json> found;
  for (const api::ResourceKind* kind : kinds_to_ask(client, namespace_name)) {
    if (!found.empty() && !is_common(*kind)) break;
    if (auto job = get_if_served(client, *kind, namespace_name, name); job && !is_part_of_job(*job))
      found.push_back(std::move(*job));
  }
  if (found.empty()) throw no_such_job(client, namespace_name, name);
  if (found.size() > 1)
    throw usage_error(fmt::format("both {} and {} exist", word_for(found[0]), word_for(found[1])), "",
                      fmt::format("name the kind, as in `kml status {}` or `kml status {}`",
                                  word_for(found[0]), word_for(found[1])));
  return std::move(found[0]);
}

std::vector<http::Request> requests_about_job(std::string_view namespace_name, std::string_view name) {
  std::vector<http::Request> requests = requests_of_find(namespace_name, name);
  if (requests.empty()) return requests;
  const auto named = split_kind(name);
  const Json likely = {{"kind", named ? named->kind->kind : "Job"},
                       {"metadata", {{"name", named ? named->name : name}}}};
  requests.push_back(
      kube::list_request(*api::find_kind("v1", "Pod"), namespace_name, {pod_selector(likely), {}}));
  return requests;
}

std::optional<KindAndName> split_kind(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) return {};
  const std::string_view word = text.substr(0, slash);
  return KindAndName{word, api::find_kind_by_word(word.substr(0, word.find('.'))), text.substr(slash + 1)};
}

std::optional<JobIndex> find_index(kube::Client& client, std::string_view namespace_name,
                                   std::string_view name) {
  const size_t dash = name.rfind('-');
  if (dash == std::string_view::npos) return {};
  const std::optional<int> index = whole_number(name.substr(dash + 1));
  if (!index) return {};
  auto job = client.get_if_exists(*api::find_kind("batch/v1", "Job"), namespace_name, name.substr(0, dash));
  if (!job || !api::is_indexed(*job)) return {};
  const auto numbers = task_numbers(api::pod_template_of(*job));
  if (numbers ? !numbers->index_of(*index) : *index >= api::completions_of(*job)) return {};
  return JobIndex{std::move(*job), *index};
}

std::vector<http::Request> requests_of_list(kube::Client& client, std::string_view namespace_name,
                                            const std::string& label_selector) {
  std::vector<http::Request> requests;
  for (const api::ResourceKind* kind : kinds_to_ask(client, namespace_name))
    requests.push_back(kube::list_request(*kind, namespace_name, {label_selector, {}}));
  return requests;
}

std::vector<Json> list_jobs(kube::Client& client, std::string_view namespace_name,
                            const std::string& label_selector) {
  const auto ahead = client.ask_ahead(requests_of_list(client, namespace_name, label_selector));
  std::vector<Json> jobs;
  for (const api::ResourceKind* kind : kinds_to_ask(client, namespace_name)) {
    try {
      kube::ListResult result = client.list(*kind, namespace_name, {label_selector, {}});
      std::erase_if(result.items, is_part_of_job);
      std::move(result.items.begin(), result.items.end(), std::back_inserter(jobs));
    } catch (const Error& error) {
      if (!take_absence(client, *kind, namespace_name, error)) throw;
    }
  }
  return jobs;
}

namespace {

/// Holds the key of a pod's job after keep_only_key().
constexpr const char* kJobKey = "jobKey";

/// Replaces the owner of a Job's pod by the job's key, and removes what a table does not show. Thousands of
/// complete pods would use much memory.
void keep_only_key(Json& pod) {
  std::string key = job_key_of_pod(pod);
  if (!key.starts_with("Job/")) return;
  pod.erase("apiVersion");
  pod.erase("kind");
  pod["metadata"].erase("ownerReferences");
  if (Json& spec = api::part_in(pod, "spec"); spec.is_object())
    for (const char* size : {"containers", "initContainers", "tolerations", "affinity", "nodeSelector"})
      spec.erase(size);
  pod[kJobKey] = std::move(key);
}

/// Whether jobs of this kind may not show their pods. Then only the pods show how many GPUs they have.
bool is_sized_by_pods(const api::ResourceKind* kind) {
  const auto described = described_resources();
  const auto found = std::find(described.begin(), described.end(), kind);
  if (found == described.end()) return false;
  const auto& templates = described_kinds()[static_cast<size_t>(found - described.begin())]->templates;
  return templates.empty() ||
         std::ranges::any_of(templates, [](const JobKind::Templates& one) { return one.is_spec; });
}

}  // namespace

PodsByJob::PodsByJob(std::vector<Json> pods) : pods_(std::move(pods)) {
  for (const Json& pod : pods_)
    if (std::string key = pod.contains(kJobKey) ? string_at(pod, {kJobKey}) : job_key_of_pod(pod);
        !key.empty())
      by_job_[key_in_namespace(pod, key)].push_back(&pod);
}

std::span<const Json* const> PodsByJob::of(const Json& job) const {
  auto found = by_job_.find(key_in_namespace(job, pods_key(job)));
  if (found == by_job_.end()) return {};
  return found->second;
}

std::vector<Json> pods_of(kube::Client& client, const Json& job) {
  return pods_of(client, job, {pod_selector(job), {}});
}

std::vector<Json> pods_of(kube::Client& client, const Json& job, const kube::ListOptions& which) {
  std::vector<Json> pods = client.list(*api::find_kind("v1", "Pod"), api::namespace_of(job), which).items;
  Ownership ownership;
  std::erase_if(pods, [&](const Json& pod) { return !ownership.has(client, job, pod); });
  return pods;
}

PodsByJob list_pods(kube::Client& client, std::string_view namespace_name,
                    const std::string& label_selector) {
  return PodsByJob(client.list(*api::find_kind("v1", "Pod"), namespace_name, {label_selector, {}}).items);
}

Listing list_for_table(kube::Client& client, const std::string& namespace_name,
                       const std::string& label_selector) {
  const std::vector<const api::ResourceKind*> kinds = kinds_to_ask(client, namespace_name);
  const bool needs_sizes = std::any_of(kinds.begin(), kinds.end(), is_sized_by_pods);
  std::vector<kube::BriefQuery> queries = {{.kind = api::find_kind("v1", "Pod"),
                                            .namespace_name = namespace_name,
                                            .detail = needs_sizes ? kube::Detail::queue : kube::Detail::table,
                                            .shorten = keep_only_key}};
  for (const api::ResourceKind* kind : kinds) queries.push_back({kind, namespace_name, label_selector});
  std::vector<kube::BriefList> lists = kube::list_briefly(client, queries);
  if (lists[0].error) throw *lists[0].error;
  Listing listing{{}, PodsByJob(std::move(lists[0].items))};
  for (size_t i = 1; i < lists.size(); ++i) {
    if (lists[i].error && !take_absence(client, *queries[i].kind, namespace_name, *lists[i].error))
      throw *lists[i].error;
    std::erase_if(lists[i].items, is_part_of_job);
    std::move(lists[i].items.begin(), lists[i].items.end(), std::back_inserter(listing.jobs));
  }
  return listing;
}

}  // namespace kml::job
