#include "serve/model/revisions.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string_view>

#include "kml/base/error.h"
#include "kml/job/views/ownership.h"
#include "kml/kube/objects/idle.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/object.h"
#include "kml/serve/model/manifests.h"
#include "kml/serve/model/rollout.h"
#include "serve/model/kserve.h"

namespace kml::serve {

namespace {

constexpr std::string_view kRevisionMark = "deployment.kubernetes.io/revision";
/// An annotation on a ReplicaSet: "ready", or why its rollout failed.
constexpr std::string_view kRollout = "kml.dev/rollout";
constexpr std::string_view kReady = "ready";

const api::ResourceKind& kind_of_revisions() {
  return api::known_kind("apps/v1", "ReplicaSet");
}

Revision revision_of(const Json& set, const Json& deployment) {
  Revision revision{.set = set, .number = revision_number(set)};
  revision.is_current = revision.number == revision_number(deployment);
  const std::string outcome = api::annotation_of(set, kRollout);
  if (outcome.empty()) return revision;
  revision.outcome = outcome == kReady ? Revision::Outcome::ready : Revision::Outcome::failed;
  if (outcome != kReady) revision.cause = outcome;
  return revision;
}

}  // namespace

long long revision_number(const Json& object) {
  return std::atoll(api::annotation_of(object, kRevisionMark).c_str());
}

std::vector<Revision> served_revisions(kube::Client& client, const Json& deployment) {
  std::vector<Revision> revisions;
  for (const Json& set : client
                             .list(kind_of_revisions(), api::namespace_of(deployment),
                                   {.label_selector = replica_selector(deployment)})
                             .items) {
    if (job::is_controlled_by(set, deployment)) revisions.push_back(revision_of(set, deployment));
  }
  std::sort(revisions.begin(), revisions.end(),
            [](const Revision& a, const Revision& b) { return a.number > b.number; });
  return revisions;
}

void note_outcome(kube::Client& client, const Json& deployment, const std::string& cause) {
  const std::string outcome = cause.empty() ? std::string(kReady) : cause;
  const Json patch = {{"metadata", {{"annotations", {{kRollout, outcome}}}}}};
  try {
    for (const Revision& revision : served_revisions(client, deployment))
      if (revision.is_current && api::annotation_of(revision.set, kRollout) != outcome)
        client.patch(kind_of_revisions(), api::namespace_of(deployment), api::name_of(revision.set),
                     kube::PatchType::merge, patch);
  } catch (const Error& error) {
    if (error.code == ErrorCode::interrupted) throw;
  }
}

void note_if_ready(kube::Client& client, const Json& deployment) {
  if (is_rolled_out(deployment) && int_at(deployment, {"status", "readyReplicas"}) > 0)
    note_outcome(client, deployment, "");
}

const Revision* last_good_revision(const std::vector<Revision>& revisions) {
  for (const auto outcome : {Revision::Outcome::ready, Revision::Outcome::unknown})
    for (const Revision& revision : revisions)
      if (!revision.is_current && revision.outcome == outcome) return &revision;
  return nullptr;
}

namespace {

void roll_back_by_kserve(kube::Client& client, const Json& deployment, const Json& replica_set) {
  const std::string namespace_name = api::namespace_of(deployment), name = served_name(deployment);
  constexpr int kTries = 10;  // needed because KServe may write the object at the same time
  for (int attempt = 1;; ++attempt) try {
      client.replace(kInferenceService, namespace_name,
                     with_revision(client.get(kInferenceService, namespace_name, name), replica_set));
      return;
    } catch (const Error& error) {
      if (error.reason != "Conflict" || attempt == kTries) throw;
    }
}

}  // namespace

void roll_back(kube::Client& client, const Json& deployment, const Json& replica_set, long long replicas) {
  if (served_name(deployment) != api::name_of(deployment))
    return roll_back_by_kserve(client, deployment, replica_set);
  Json pod_template = api::pod_template_of(replica_set);
  pod_template["metadata"]["labels"].erase("pod-template-hash");
  // The annotations that describe the served revision are replaced. The Deployment controller's own
  // annotations and the idle limit are kept.
  const auto stays = [](const std::string& key) {
    return key.starts_with("deployment.kubernetes.io/") || key == api::kIdle;
  };
  Json annotations = api::annotations_of(replica_set);
  for (auto it = annotations.begin(); it != annotations.end();)
    it = stays(it.key()) || it.key() == api::kIdleReplicas || it.key() == kRollout ? annotations.erase(it)
                                                                                   : std::next(it);
  for (const auto& [key, value] : api::annotations_of(deployment).items())
    if (stays(key)) annotations[key] = value;
  const auto replacement = [](const char* path, Json value) {
    return Json{{"op", "replace"}, {"path", path}, {"value", std::move(value)}};
  };
  client.patch(api::known_kind("apps/v1", "Deployment"), api::namespace_of(deployment),
               api::name_of(deployment), kube::PatchType::json,
               Json::array({replacement("/spec/template", std::move(pod_template)),
                            replacement("/spec/replicas", replicas),
                            replacement("/metadata/annotations", std::move(annotations))}));
}

}  // namespace kml::serve
