#include "kml/pod/streams/running_rank.h"

#include <algorithm>
#include <map>
#include <utility>

#include "job/logs/container_state.h"
#include "kml/base/clock.h"
#include "kml/base/suggestion.h"
#include "kml/base/text.h"
#include "kml/job/views/dev_session.h"
#include "kml/job/views/find.h"
#include "kml/job/views/ownership.h"
#include "kml/job/views/pod_view.h"
#include "kml/job/why/why.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "kml/kube/objects/resource.h"

namespace kml::pod {

namespace {

/// The annotation that names the container which kubectl and kml use by default.
constexpr const char* kDefaultContainer = "kubectl.kubernetes.io/default-container";

std::string default_container(const Json& pod) {
  std::string named = api::annotation_of(pod, kDefaultContainer);
  if (!named.empty() && api::find_container(pod, named)) return named;
  const Json& containers = api::containers_of(pod);
  return containers.empty() ? std::string() : string_at(containers[0], {"name"});
}

Error no_such_container(const Json& pod, const std::string& name) {
  const std::vector<std::string> names = job::containers_of(pod);
  return usage_error("pod " + api::name_of(pod) + " has no container \"" + name + "\"", "",
                     suggestion(name, names, "its containers: " + join(names, ", ")));
}

bool runs(const Json& pod, const std::string& container) {
  const Json* status = api::find_container_status(pod, container);
  return status && api::is_running(*status);
}

/// Pods by rank, or by name if they have no rank.
using PodsByRank = std::map<std::pair<int, std::string>, std::vector<const Json*>>;

PodsByRank by_rank(const job::JobOrTask& named, const std::vector<const Json*>& pods) {
  PodsByRank ranks;
  for (const Json* pod : pods) {
    const std::optional<int> rank = job::rank_of(*pod, &named.job);
    ranks[{rank.value_or(0), rank ? "" : api::name_of(*pod)}].push_back(pod);
  }
  return ranks;
}

bool is_named(const Json& pod, const job::JobOrTask& named, const std::string& rank) {
  return rank == job::short_pod_name(pod, api::name_of(named.job)) || rank == api::name_of(pod) ||
         (whole_number(rank) && whole_number(rank) == job::rank_of(pod, &named.job));
}

Error not_running(std::string what, std::string why, std::string fix) {
  Error error(ErrorCode::failure, std::move(what), std::move(why), std::move(fix));
  error.reason = kNotRunning;
  return error;
}

Error job_not_running(const job::JobOrTask& named, const std::vector<const Json*>& pods) {
  const job::JobView view = job::view_of_job(named.as_job(pods), pods);
  const std::string name = named.name();
  std::string cause = view.cause_at(system_clock().now());
  if (job::has_ended(view.state))
    return not_running("job " + name + " has ended: " + job::in_words(view.state), std::move(cause),
                       "`kml logs " + name + "` shows its output");
  if (job::has_running_pods(view.state))
    return not_running("no pod of job " + name + " is running now", std::move(cause), "kml why " + name);
  return not_running("job " + name + " is not running: it is " + job::in_words(view.state), std::move(cause),
                     "kml why " + name);
}

Error rank_not_running(const job::JobOrTask& named, const std::string& rank, const Json& pod,
                       const std::string& container) {
  const job::PodView view = job::view_of_pod(pod);
  const std::string name = named.name() + "/" + rank;
  if (view.phase == "Running")
    return not_running("container " + container + " of " + name + " is not running", view.cause,
                       "kml why " + named.name());
  const bool has_ended = api::pod_has_ended(pod);
  return not_running(
      name + (has_ended ? " has ended: " : " is not running: ") + "its pod is " + lower(view.phase),
      view.cause, (has_ended ? "kml logs " : "kml why ") + named.name());
}

Error no_such_rank(const job::JobOrTask& named, const std::string& rank,
                   const std::vector<const Json*>& pods) {
  std::vector<std::string> names;
  for (const Json* pod : pods) names.push_back(job::short_pod_name(*pod, api::name_of(named.job)));
  std::sort(names.begin(), names.end(), natural_less);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return usage_error("job " + named.name() + " has no rank " + rank, "its pods: " + some_of(names, 8));
}

RunningRank running_rank(const Json& pod, const job::JobOrTask& named, const std::string& container) {
  const Json* found = api::find_container(pod, container);
  return {.namespace_name = api::namespace_of(pod),
          .pod = api::name_of(pod),
          .pod_uid = api::uid_of(pod),
          .container = container,
          .job = api::name_of(named.job),
          .label = job::short_pod_name(pod, api::name_of(named.job)),
          .rank = job::rank_of(pod, &named.job),
          .has_input = found && bool_at(*found, {"stdin"}),
          .has_terminal = found && bool_at(*found, {"tty"}),
          .input_ends = found && bool_at(*found, {"stdinOnce"}),
          .idle_limit = job::idle_limit_of_session(pod)};
}

}  // namespace

NameAndRank split_rank(const std::string& text) {
  const size_t slash = text.rfind('/');
  if (slash == std::string::npos) return {text};
  std::string head = text.substr(0, slash), rank = text.substr(slash + 1);
  const bool is_kind = slash == text.find('/') && job::split_kind(text)->kind;
  if (is_kind || rank.empty() || head.empty()) return {text};
  return {std::move(head), std::move(rank)};
}

std::unique_ptr<kube::Client::AskedAhead> ask_ahead_for_ranks(kube::Client& client,
                                                              std::string_view namespace_name,
                                                              std::string_view name) {
  client.transport().connect_ahead();
  return client.ask_ahead(job::requests_about_job(namespace_name, name));
}

std::vector<RunningRank> running_ranks(kube::Client& client, const job::JobOrTask& named,
                                       const std::string& rank, const std::string& container) {
  const std::vector<Json> all = job::pods_of(client, named.job);
  std::vector<const Json*> refs;
  for (const Json& pod : all) refs.push_back(&pod);
  refs = named.own(refs);
  const std::vector<const Json*> of_job = refs;
  if (!rank.empty()) std::erase_if(refs, [&](const Json* pod) { return !is_named(*pod, named, rank); });
  if (refs.empty())
    throw rank.empty() || of_job.empty() ? job_not_running(named, of_job) : no_such_rank(named, rank, of_job);

  std::vector<RunningRank> running;
  for (const auto& [place, pods] : by_rank(named, refs)) {
    const Json& pod = *job::newest_of(pods);
    const std::string name = container.empty() ? default_container(pod) : container;
    if (!api::find_container(pod, name)) throw no_such_container(pod, name);
    if (api::phase_of(pod) == "Running" && runs(pod, name))
      running.push_back(running_rank(pod, named, name));
    else if (!rank.empty())
      throw rank_not_running(named, rank, pod, name);
  }
  if (running.empty()) throw job_not_running(named, of_job);
  return running;
}

}  // namespace kml::pod
