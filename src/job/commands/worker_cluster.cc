#include "job/commands/worker_cluster.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "job/capacity/kueue_api.h"
#include "job/capacity/multikueue.h"
#include "job/control/narration.h"
#include "kml/base/text.h"
#include "kml/job/views/find.h"
#include "kml/job/views/job_view.h"
#include "kml/job/views/ownership.h"
#include "kml/job/why/why.h"
#include "kml/kube/client/watch.h"
#include "kml/kube/kubeconfig/kubeconfig.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::cli {

namespace {

/// A context that may lead to the cluster, and whether its server has the cluster's address.
struct Candidate {
  std::string context;
  bool has_address = false;
};

/// The user's contexts that may lead to the cluster: first the contexts with the address that Kueue uses, if
/// the user may read that address, then the context with the cluster's name.
std::vector<Candidate> candidates_for(Context& context, const std::string& cluster,
                                      const std::vector<std::string>& addresses) {
  const kube::KubeconfigOptions options{context.options().kubeconfig, "", ""};
  std::vector<Candidate> found;
  for (std::string& name : kube::contexts_at(options, addresses)) found.push_back({std::move(name), true});
  const std::vector<std::string> all = kube::context_names(options);
  const bool is_listed =
      std::any_of(found.begin(), found.end(), [&](const Candidate& one) { return one.context == cluster; });
  if (!is_listed && std::find(all.begin(), all.end(), cluster) != all.end()) found.push_back({cluster});
  return found;
}

Error no_context(const Json& job, const std::string& cluster, const std::vector<std::string>& addresses) {
  const std::string address = addresses.empty() ? "you may not read the cluster's address"
                                                : "none has the cluster's address " + addresses[0];
  return {ErrorCode::failure,
          "job " + api::name_of(job) + " runs in cluster " + cluster +
              ", and kml does not know which of your contexts is for that cluster",
          "no context in your kubeconfig has the name " + cluster + ", and " + address,
          "in your kubeconfig, rename your context of that cluster to " + cluster};
}

/// Makes the cluster the target if it has the job's copy.
std::optional<Json> entered_copy(Context& context, const Candidate& candidate, const Json& job,
                                 const job::Dispatch& dispatch) {
  const kube::KubeconfigOptions options{context.options().kubeconfig, candidate.context,
                                        api::namespace_of(job)};
  context.enter(*kube::find_target(options));
  try {
    std::optional<Json> copy = context.client().get_if_exists(context.client().kind_of(job),
                                                              api::namespace_of(job), api::name_of(job));
    if (copy && job::is_copy(*copy, dispatch)) return copy;
  } catch (Error& error) {
    context.leave();
    error.message = "job " + api::name_of(job) + " runs in cluster " + dispatch.cluster + ", your context " +
                    candidate.context + ": " + error.message;
    throw;
  }
  context.leave();
  return {};
}

constexpr const char* kNoCopy = "NoCopy";

Error no_copy(const Json& job, const job::Dispatch& dispatch, const std::vector<Candidate>& candidates) {
  Error error(ErrorCode::failure,
              "job " + api::name_of(job) + " runs in cluster " + dispatch.cluster + ", but your context " +
                  candidates[0].context + " has no copy of it",
              candidates[0].has_address ? "Kueue may be about to create or delete the copy"
                                        : "the context may be for another cluster",
              "try again; or correct the context " + candidates[0].context);
  error.reason = kNoCopy;
  return error;
}

/// The job's copy; if there is none because the job has ended, the job itself.
Json entered(Context& context, Json job, const job::Dispatch& dispatch) {
  const std::string name = api::name_of(job);
  const std::vector<std::string> addresses = job::addresses_of(context.client(), dispatch.cluster);
  const std::vector<Candidate> candidates = candidates_for(context, dispatch.cluster, addresses);
  for (const Candidate& candidate : candidates)
    if (std::optional<Json> copy = entered_copy(context, candidate, job, dispatch)) {
      context.note("job " + name + " runs in cluster " + dispatch.cluster +
                   (candidate.context == dispatch.cluster ? "" : ", your context " + candidate.context));
      return std::move(*copy);
    }
  if (job::has_ended(job::state_of(job, false))) {
    context.note("job " + name + " ran in cluster " + dispatch.cluster +
                 ", where Kueue deletes a job and its pods once the job has ended");
    return job;
  }
  throw candidates.empty() ? no_context(job, dispatch.cluster, addresses)
                           : no_copy(job, dispatch, candidates);
}

}  // namespace

Json enter_cluster_of(Context& context, Json job) {
  if (!job::is_dispatched(job)) return job;
  const std::optional<job::Dispatch> dispatch = job::find_dispatch(context.client(), job);
  return dispatch ? entered(context, std::move(job), *dispatch) : std::move(job);
}

std::vector<Json> enter_clusters_of(Context& context, const std::vector<Json>& jobs) {
  if (jobs.size() == 1) return {enter_cluster_of(context, jobs[0])};
  std::vector<Json> here;
  for (const Json& job : jobs) {
    const auto dispatch = job::is_dispatched(job) ? job::find_dispatch(context.client(), job) : std::nullopt;
    if (dispatch)
      context.note("job " + api::name_of(job) + " runs in cluster " + dispatch->cluster + ": `kml logs " +
                   api::name_of(job) + "` prints its log");
    else
      here.push_back(job);
  }
  return here;
}

PodsElsewhere::PodsElsewhere(Context& context, const Json& job) : context_(context) {
  const auto dispatch = job::is_dispatched(job) ? job::find_dispatch(context.client(), job) : std::nullopt;
  if (!dispatch) return;
  cluster_ = dispatch->cluster;
  try {
    Json copy = entered(context, job, *dispatch);
    if (context.has_entered()) {
      for (const Json& pod : job::pods_of(context.client(), copy)) pods_.insert(api::uid_of(pod));
      copy_ = std::move(copy);
      there_ = &context.client();
    }
  } catch (const Error& error) {
    failure_ = error;
  }
  context.leave();
}

/// The copy may be deleted before its pods, so the uids of its pods are remembered.
bool PodsElsewhere::any_runs() {
  for (const Json& pod : job::pods_of(*there_, copy_)) pods_.insert(api::uid_of(pod));
  const std::vector<Json> pods =
      there_->list(*api::find_kind("v1", "Pod"), api::namespace_of(copy_), {job::pod_selector(copy_), {}})
          .items;
  return std::any_of(pods.begin(), pods.end(), [&](const Json& pod) {
    return pods_.contains(api::uid_of(pod)) && !api::pod_has_ended(pod) && !api::is_being_deleted(pod);
  });
}

void PodsElsewhere::wait_until_stopped() {
  constexpr std::chrono::milliseconds kLongest{60'000}, kPause{200};
  bool is_late = false;
  try {
    const auto until = there_ ? there_->transport().now() + kLongest : http::SteadyTime();
    while (there_ && !is_late && any_runs()) {
      is_late = there_->transport().now() >= until;
      there_->transport().wait(kPause);
    }
  } catch (const Error& error) {
    failure_ = error;
  }
  if (failure_)
    context_.note("kml does not know whether the job's pods in cluster " + cluster_ +
                  " have stopped: " + message_and_why(*failure_));
  else if (is_late)
    throw Error(
        ErrorCode::unreachable,
        "pods of job " + api::name_of(copy_) + " still run in cluster " + cluster_ + " after a minute",
        "Kueue should delete the job there", "kml why " + api::name_of(copy_));
}

FollowedInClusters::FollowedInClusters(Context& context, job::LogSelection& selection)
    : context_(context), selection_(selection) {
  if (selection.to_come || selection.jobs.size() != 1 || !job::is_dispatched(selection.jobs[0])) return;
  job_ = selection.jobs[0];
  home_ = &context.client();
  selection.status_after_deletion = [this] { return status_after_deletion(); };
}

void FollowedInClusters::enter(const job::Interrupt& interrupt) {
  if (job_.is_null()) return;
  constexpr std::chrono::seconds kUntilCopied{30}, kPause{1};
  context_.leave();
  is_gone_ = false;
  const auto until = home_->transport().now() + kUntilCopied;
  while (true) {
    const std::optional<job::Dispatch> dispatch = await_dispatch(interrupt);
    try {
      selection_.jobs = {dispatch ? entered(context_, job_, *dispatch) : job_};
      return;
    } catch (const Error& error) {
      if (error.reason != kNoCopy || home_->transport().now() >= until) throw;
    }
    interrupt.pause(kPause);
  }
}

/// Reports what the job waits for. Empty if the job has ended before it was copied.
std::optional<job::Dispatch> FollowedInClusters::await_dispatch(const job::Interrupt& interrupt) {
  constexpr std::chrono::seconds kTick{10};
  std::map<std::string, Json> workloads;  // by name
  std::optional<Error> failure;
  bool is_deleted = false;
  int lists = 0;
  const job::KueueApi kueue(*home_);
  const api::ResourceKind workload_kind = kueue.workload();
  const auto keep_failure = [&](const Error& error) { failure = error; };
  const auto job_watch = kube::watch(*home_, home_->kind_of(job_), api::namespace_of(job_),
                                     {"", "metadata.name=" + api::name_of(job_)},
                                     {[&](kube::Change change, const Json& job) {
                                        if (api::uid_of(job) != api::uid_of(job_)) return;
                                        is_deleted = change == kube::Change::deleted;
                                        if (!is_deleted) job_ = job;
                                      },
                                      [&] { ++lists; }, keep_failure});
  const auto workload_watch =
      kube::watch(*home_, workload_kind, api::namespace_of(job_), {job::workload_selector(job_), ""},
                  {[&](kube::Change change, const Json& workload) {
                     if (change == kube::Change::deleted)
                       workloads.erase(api::name_of(workload));
                     else
                       workloads[api::name_of(workload)] = workload;
                   },
                   [&] { ++lists; }, keep_failure});
  job::Narration narration;
  const int wake[] = {interrupt.fd()};
  while (!is_deleted && !job::has_ended(job::state_of(job_, false))) {
    if (failure) throw *failure;
    for (const auto& [name, workload] : workloads)
      if (auto dispatch = job::dispatch_in(workload)) return dispatch;
    const Json* workload = workloads.empty() ? nullptr : &workloads.begin()->second;
    const std::string note = lists < 2 ? "" : narration.next(job::view_of_job(job_, {}, workload));
    if (!note.empty()) context_.note(note);
    home_->transport().wait(kTick, wake);
    interrupt.check();
  }
  if (is_deleted)
    throw Error(ErrorCode::failure, "job " + api::name_of(job_) + " was deleted",
                "Kueue had not copied it to a cluster yet");
  return {};
}

/// The job's status. Kueue copies the status from the other cluster before it deletes the job's copy there.
/// An empty status if the job was deleted. Returns nothing if the job has not ended.
std::optional<Json> FollowedInClusters::status_after_deletion() {
  const std::optional<Json> job =
      home_->get_if_exists(home_->kind_of(job_), api::namespace_of(job_), api::name_of(job_));
  if (!job || api::uid_of(*job) != api::uid_of(job_)) return Json::object();
  is_gone_ = !job::has_ended(job::state_of(*job, false));
  return is_gone_ ? std::nullopt : std::optional(object_at(*job, {"status"}));
}

}  // namespace kml::cli
