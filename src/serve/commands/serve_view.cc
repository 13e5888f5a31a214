#include "serve/commands/serve_view.h"

#include <algorithm>
#include <ostream>

#include "kml/base/error.h"
#include "kml/base/text.h"
#include "kml/job/views/interrupt.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/crash_loop.h"
#include "kml/kube/objects/idle.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "serve/model/kserve.h"

namespace kml::cli {

void takes_served(Command& command, std::vector<std::string>& names, size_t most) {
  command.takes("NAME", names, "the name given to `kml serve`", 1, most);
}

std::string command_of_served(const Json& deployment_or_set) {
  if (std::string typed = api::annotation_of(deployment_or_set, api::kCommand); !typed.empty()) return typed;
  const Json& containers = api::containers_in(api::spec_of(api::pod_template_of(deployment_or_set)));
  std::vector<std::string> words;
  for (const Json& word : containers.empty() ? Json::array() : api::command_of(containers[0]))
    if (word.is_string()) words.push_back(word);
  return shell_quoted(words);
}

namespace {

bool is_replica_of(const Json& deployment, const Json& pod) {
  const std::string service = api::label_of(deployment, serve::kOfInferenceService);
  if (api::namespace_of(pod) != api::namespace_of(deployment)) return false;
  return service.empty() ? api::label_of(pod, api::kServe) == api::name_of(deployment)
                         : api::label_of(pod, serve::kOfInferenceService) == service;
}

/// Whether the program has crashed at least twice, and is not ready now.
bool crashes_repeatedly(const Json& pod) {
  if (api::condition_is_true(pod, "Ready") || api::is_being_deleted(pod)) return false;
  const Json& statuses = api::container_statuses(pod);
  return std::any_of(statuses.begin(), statuses.end(),
                     [&](const Json& status) { return api::crashes_of(pod, status) > 1; });
}

std::string state_of_deployment(const serve::Served& served) {
  const Json& deployment = served.deployment;
  if (deployment.is_null()) return api::condition_is_true(served.object, "Ready") ? "Running" : "Starting";
  if (api::is_scaled_to_zero(deployment)) return api::scaled_to_zero_text(deployment);
  const long long wanted = int_at(deployment, {"spec", "replicas"}, 1);
  if (wanted == 0) return "Stopped";
  if (int_at(deployment, {"status", "readyReplicas"}) < wanted) return "Starting";
  return serve::is_rolled_out(served) ? "Running" : "Updating";
}

}  // namespace

const Json* crashing_replica(const serve::Served& served, std::span<const Json> pods) {
  if (served.deployment.is_null()) return nullptr;
  const auto found = std::find_if(pods.begin(), pods.end(), [&](const Json& pod) {
    return is_replica_of(served.deployment, pod) && crashes_repeatedly(pod);
  });
  return found == pods.end() ? nullptr : &*found;
}

std::string state_of_served(const serve::Served& served, std::span<const Json> pods) {
  const std::string state = state_of_deployment(served);
  return state == "Starting" && crashing_replica(served, pods) ? "Crashing" : state;
}

std::vector<Json> replicas_of(kube::Client& client, const std::string& namespace_name,
                              const std::string& selector) try {
  return client.list(api::known_kind("v1", "Pod"), namespace_name, {.label_selector = selector}).items;
} catch (const Error& error) {  // the user may not read pods
  if (error.http_status != 403) throw;
  return {};
}

std::vector<Json> replicas_of(kube::Client& client, const serve::Served& served) {
  const Json& deployment = served.deployment;
  if (deployment.is_null()) return {};
  return replicas_of(client, api::namespace_of(deployment), serve::replica_selector(deployment));
}

std::optional<serve::RolloutFailure> follow_rollout(Context& context, const serve::Rollout& rollout,
                                                    std::chrono::seconds limit) {
  const job::Interrupt interrupt;
  try {
    auto failure =
        serve::wait_for_rollout(context.client(), context.target().namespace_name, rollout, interrupt, limit,
                                [&](const std::string& text) { context.progress(text); });
    context.end_progress();
    return failure;
  } catch (const Error& error) {
    context.end_progress();
    if (error.code == ErrorCode::interrupted)
      context.note("the rollout continues; `kml serve list` shows it, `kml serve stop " + rollout.name +
                   "` stops it");
    throw;
  }
}

Error not_ready_in_time(Context& context, const std::string& name, const serve::RolloutFailure& failure,
                        std::chrono::seconds limit) {
  context.note("the rollout continues; `kml serve list` shows it, `kml serve stop " + name + "` stops it");
  const std::string state = failure.progress.empty() ? " is not ready" : ": " + failure.progress;
  return {ErrorCode::unreachable, name + state + " after " + short_duration(limit), failure.cause,
          "`kml why " + name + "` shows what it waits for, `kml serve logs " + name + "` prints its log"};
}

void wait_for_served(Context& context, const std::vector<Json>& objects,
                     std::optional<std::chrono::seconds> limit) {
  for (const Json& object : objects) {
    const std::string name = api::name_of(object);
    if (api::kind_name(object) != "Deployment" || api::label_of(object, api::kServe) != name) continue;
    const auto most = limit.value_or(serve::kRolloutLimit);
    if (const auto failure = follow_rollout(context, serve::rollout_of(object), most)) {
      print_last_lines(context, *failure);
      if (failure->is_out_of_time) throw not_ready_in_time(context, name, *failure, most);
      throw Error(ErrorCode::job_failed, name + " does not run", failure->cause, failure->fix);
    }
    context.note(name + " is ready; `kml serve list` shows its address");
  }
}

serve::FollowRollout rollouts_of(Context& context) {
  return [&context](const serve::Rollout& rollout, std::chrono::seconds limit) {
    return follow_rollout(context, rollout, limit);
  };
}

namespace {

std::string in_words(const serve::Undone& undone) {
  using enum serve::Undone::Outcome;
  switch (undone.outcome) {
    case unchanged: return "the revision is still the same, so nothing is rolled back";
    case gone: return "it was deleted meanwhile, so nothing is rolled back";
    case not_undone: return "no earlier revision was ready, so none is restored";
    case failed: return "rolled back, but the earlier revision does not run either: " + undone.cause;
    case restored: break;
  }
  if (undone.kept_serving) return "rolled back to the previous revision, which kept serving";
  return "rolled back to revision " + std::to_string(undone.revision) + ", the last one that was ready";
}

}  // namespace

bool undo(Context& context, const serve::RolloutFailure& failure, const Json& before) {
  using enum serve::Undone::Outcome;
  const serve::Undone undone = serve::undo(context.client(), failure.cause, before, rollouts_of(context));
  context.note(in_words(undone));
  return undone.outcome == failed || undone.outcome == restored;
}

void print_last_lines(Context& context, const serve::RolloutFailure& failure) {
  if (failure.log.empty()) return;
  context.note("the last lines of pod " + failure.pod + ":");
  for (const std::string& line : failure.log) context.note("  " + line);
}

}  // namespace kml::cli
