#include "serve/model/serve.h"

#include <utility>

#include "kml/base/clock.h"
#include "kml/base/error.h"
#include "kml/base/text.h"
#include "kml/job/submit/create.h"
#include "kml/kube/objects/idle.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "serve/model/kserve.h"
#include "serve/model/revisions.h"

namespace kml::serve {

namespace {

const api::ResourceKind& kind_of_deployments() {
  return *api::find_kind("apps/v1", "Deployment");
}

const api::ResourceKind& kind_of_services() {
  return *api::find_kind("v1", "Service");
}

/// The object with that name that an earlier `kml serve` has created. Throws Error if any other object has
/// the name.
std::optional<Json> own_object(kube::Client& client, const api::ResourceKind& kind,
                               const std::string& namespace_name, const std::string& name) {
  auto found = client.get_if_exists(kind, namespace_name, name);
  if (found && api::label_of(*found, api::kServe) != name)
    throw Error(ErrorCode::failure, std::string(kind.kind) + " " + name + " was not made by kml serve",
                "kml does not change it", "choose another name");
  return found;
}

/// Creates the Deployment, or updates it.
Json apply_deployment(kube::Client& client, const ServePlan& plan) {
  const std::string namespace_name = api::namespace_of(plan.deployment);
  std::optional<Json> existing = plan.deployment_before;
  if (!existing) return job::create_once(client, namespace_name, plan.deployment);
  constexpr int kTries = 10;  // needed because the object's controller may write it at the same time
  for (int attempt = 1;; ++attempt) try {
      return client.replace(kind_of_deployments(), namespace_name,
                            updated_deployment(*existing, plan.deployment, plan.settings));
    } catch (const Error& error) {
      if (error.reason != "Conflict" || attempt == kTries) throw;
      existing = client.get(kind_of_deployments(), namespace_name, plan.settings.name);
    }
}

/// Makes a Service of an earlier kml follow the port of each pod, because two revisions may have different
/// ports. The Service's own port stays the same, and so does the address.
void follow_pods(kube::Client& client, const Json& service) {
  if (string_at(array_at(service, {"spec", "ports"}).at(0), {"targetPort"}) == kPortName) return;
  client.patch(
      kind_of_services(), api::namespace_of(service), api::name_of(service), kube::PatchType::json,
      Json::array({{{"op", "replace"}, {"path", "/spec/ports/0/targetPort"}, {"value", kPortName}}}));
}

void apply_service(kube::Client& client, const ServePlan& plan, const Json& deployment) {
  if (plan.service_before) return follow_pods(client, *plan.service_before);
  Json wanted = serve_service(deployment, plan.settings.port);
  wanted["metadata"]["ownerReferences"] = Json::array({api::owner_reference(deployment)});
  client.create(kind_of_services(), api::namespace_of(wanted), wanted);
}

Json apply_inference_service(kube::Client& client, const ServePlan& plan) {
  const std::string namespace_name = api::namespace_of(plan.deployment);
  const Json wanted = inference_service(plan.deployment);
  std::optional<Json> existing = plan.inference_service_before;
  if (!existing) return job::create_once(client, namespace_name, wanted);
  constexpr int kTries = 10;  // needed because KServe may write its finalizer at the same time
  for (int attempt = 1;; ++attempt) try {
      return client.replace(kInferenceService, namespace_name,
                            updated_inference_service(*existing, wanted, plan.settings));
    } catch (const Error& error) {
      if (error.reason != "Conflict" || attempt == kTries) throw;
      existing = client.get(kInferenceService, namespace_name, plan.settings.name);
    }
}

/// Creates or updates the objects of the served program. Returns the object that has the program's name.
Json apply(kube::Client& client, const ServePlan& plan) {
  if (plan.settings.by_kserve) return apply_inference_service(client, plan);
  Json deployment = apply_deployment(client, plan);
  apply_service(client, plan, deployment);
  return deployment;
}

/// The object that uses the belongings of this `kml serve`: the newest revision or, if KServe has not made
/// one, the InferenceService.
Json user_of_belongings(kube::Client& client, const Json& applied) {
  const Served served = find_served(client, api::namespace_of(applied), api::name_of(applied));
  if (served.deployment.is_null()) return served.object;
  return served_revisions(client, served.deployment).at(0).set;
}

void require_kserve(kube::Client& client) try {
  client.kind_of({{"apiVersion", kInferenceService.api_version()}, {"kind", kInferenceService.kind}});
} catch (const Error& error) {
  if (error.code != ErrorCode::usage) throw;
  throw Error(ErrorCode::failure, "-t kserve: the cluster does not have KServe", error.message,
              "leave out -t kserve: kml then makes a Deployment");
}

[[noreturn]] void refuse_other_form(const std::string& name, const char* kind, const char* fix) {
  throw Error(ErrorCode::failure, name + " is served by " + kind, "",
              std::string(fix) + ", or stop it first: kml serve stop " + name);
}

void read_inference_service(kube::Client& client, ServePlan& plan) {
  const std::string &name = plan.settings.name, namespace_name = api::namespace_of(plan.deployment);
  require_kserve(client);
  if (own_object(client, kind_of_deployments(), namespace_name, name))
    refuse_other_form(name, "a Deployment", "leave out -t kserve");
  if (!own_object(client, kInferenceService, namespace_name, name)) return;
  const Served found = find_served(client, namespace_name, name);
  plan.inference_service_before = found.object;
  if (!found.deployment.is_null()) plan.deployment_before = found.deployment;
}

void read_deployment(kube::Client& client, ServePlan& plan) {
  const std::string &name = plan.settings.name, namespace_name = api::namespace_of(plan.deployment);
  plan.deployment_before = own_object(client, kind_of_deployments(), namespace_name, name);
  plan.service_before = own_object(client, kind_of_services(), namespace_name, name);
  if (plan.deployment_before) return;
  // If KServe already serves this name, its Deployment and pods have the same label.
  const kube::ListOptions selection{.label_selector = serve_selector(name)};
  if (!client.list(kind_of_deployments(), namespace_name, selection).items.empty())
    refuse_other_form(name, "KServe", "add -t kserve");
}

/// Empty if KServe made the Service, or if there is none.
std::optional<Json> own_service(kube::Client& client, const Json& deployment) {
  if (served_name(deployment) != api::name_of(deployment)) return {};
  return client.get_if_exists(kind_of_services(), api::namespace_of(deployment), api::name_of(deployment));
}

/// The revision to return to. Throws usage Error if there is none.
const Revision& revision_to_go_back_to(const std::vector<Revision>& revisions, const std::string& name,
                                       std::optional<long long> number) {
  std::vector<std::string> earlier;
  for (const Revision& revision : revisions) {
    if (revision.is_current) continue;
    if (revision.number == number) return revision;
    earlier.push_back(std::to_string(revision.number));
  }
  const std::string listed = earlier.empty() ? "" : "earlier revisions: " + join(earlier, ", ");
  if (number) throw usage_error(name + " has no earlier revision " + std::to_string(*number), "", listed);
  if (earlier.empty()) throw usage_error(name + " has no earlier revision");
  if (const Revision* good = last_good_revision(revisions)) return *good;
  throw usage_error("no earlier revision of " + name + " was ever ready", listed,
                    "choose one with --revision; `kml serve revisions " + name + "` shows why each failed");
}

/// Records the outcome of the program's current revision, unless the program was deleted meanwhile.
void note_outcome_now(kube::Client& client, const std::string& namespace_name, const std::string& name,
                      const std::string& cause) {
  const std::optional<Served> served = find_served_if_exists(client, namespace_name, name);
  if (served && !served->deployment.is_null()) note_outcome(client, served->deployment, cause);
}

/// Returns false if the program was deleted meanwhile.
bool roll_back_if_exists(kube::Client& client, const Json& deployment, const Json& replica_set,
                         long long replicas) try {
  roll_back(client, deployment, replica_set, replicas);
  return true;
} catch (const Error& error) {
  if (error.reason != "NotFound") throw;
  return false;
}

}  // namespace

/// Makes the Deployment replace its pods, as `kubectl rollout restart` does.
void replace_unready(const Json& existing, Json& wanted) {
  if (!is_rolled_out(existing))
    wanted["spec"]["template"]["metadata"]["annotations"]["kubectl.kubernetes.io/restartedAt"] =
        rfc3339_micro(system_clock().now());
}

ServePlan plan_serve(kube::Client& client, ServeSettings settings, Json deployment,
                     std::vector<job::Belonging> belongings) {
  ServePlan plan{std::move(settings), std::move(deployment), std::move(belongings), {}, {}, {}};
  if (plan.settings.by_kserve)
    read_inference_service(client, plan);
  else
    read_deployment(client, plan);
  if (!plan.deployment_before) return plan;
  replace_unready(*plan.deployment_before, plan.deployment);
  note_if_ready(client, *plan.deployment_before);
  return plan;
}

std::optional<RolloutFailure> serve(kube::Client& client, const std::string& server, const ServePlan& plan,
                                    std::chrono::seconds limit, const FollowRollout& follow) {
  const std::string& name = plan.settings.name;
  job::Belongings belongings(
      client, server, plan.belongings,
      {plan.settings.by_kserve ? inference_service(plan.deployment) : plan.deployment});
  try {
    belongings.create();
    const Json applied = apply(client, plan);
    auto failure = follow(plan.settings.by_kserve ? rollout_by_kserve(name) : rollout_of(applied), limit);
    // A Secret is deleted together with the revision that uses it.
    if (!plan.belongings.empty()) belongings.hand_over({user_of_belongings(client, applied)});
    return failure;
  } catch (...) {
    belongings.give_up();
    throw;
  }
}

Undone undo(kube::Client& client, const std::string& cause, const Json& before, const FollowRollout& follow) {
  const std::string namespace_name = api::namespace_of(before), name = served_name(before);
  const std::optional<Served> served = find_served_if_exists(client, namespace_name, name);
  if (!served) return {.outcome = Undone::Outcome::gone};
  const Json& now = served->deployment;
  if (now.is_null()) return {.outcome = Undone::Outcome::not_undone};
  // Only the number of replicas has changed, so the revision may have been ready, and may still serve.
  if (revision_number(now) == revision_number(before)) return {};
  note_outcome(client, now, cause);
  const std::vector<Revision> revisions = served_revisions(client, now);
  const Revision* good = last_good_revision(revisions);
  if (!good) return {.outcome = Undone::Outcome::not_undone};
  if (!roll_back_if_exists(client, now, good->set, api::replicas_when_used(before)))
    return {.outcome = Undone::Outcome::gone};
  const auto again = follow(rollout_of(now), kRolloutLimit);
  note_outcome_now(client, namespace_name, name, again ? again->cause : "");
  if (again) return {.outcome = Undone::Outcome::failed, .cause = again->cause};
  return {.outcome = Undone::Outcome::restored,
          .revision = good->number,
          .kept_serving = good->number == revision_number(before)};
}

void note_first_failure(kube::Client& client, const std::string& namespace_name, const std::string& name,
                        const std::string& cause) try {
  note_outcome_now(client, namespace_name, name, cause);
} catch (const Error& error) {  // it may have been deleted
  if (error.code == ErrorCode::interrupted) throw;
}

RolledBack go_back(kube::Client& client, const Json& deployment, std::optional<long long> number,
                   const FollowRollout& follow) {
  const std::string name = served_name(deployment);
  const std::vector<Revision> revisions = served_revisions(client, deployment);
  const Revision& chosen = revision_to_go_back_to(revisions, name, number);
  note_if_ready(client, deployment);
  if (const auto service = own_service(client, deployment)) follow_pods(client, *service);
  roll_back(client, deployment, chosen.set, api::replicas_when_used(deployment));
  if (auto failure = follow(rollout_of(deployment), kRolloutLimit))
    return {chosen.number, std::move(failure)};
  note_outcome_now(client, api::namespace_of(deployment), name, "");
  return {chosen.number};
}

}  // namespace kml::serve
