#include "local/controllers/deployment_plan.h"

#include <algorithm>
#include <cstdlib>

#include "kml/kube/objects/int_or_percent.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/object.h"
#include "local/store/object.h"

namespace kml::local {

namespace {

long long replicas_in(const Json& object) {
  return int_at(object, {"spec", "replicas"}, 1);
}

Json without_hash(Json pod_template) {
  Json& metadata = pod_template["metadata"];
  if (metadata.is_null()) metadata = Json::object();
  if (metadata.contains("labels")) metadata["labels"].erase(std::string(kTemplateHash));
  std::erase_if(metadata.get_ref<Json::object_t&>(), [](const auto& field) { return field.second.empty(); });
  return pod_template;
}

/// An FNV-1a hash, written with the letters of generated names (apimachinery's rand.SafeEncodeString).
std::string hash_of(const Json& pod_template, long long collisions) {
  uint32_t hash = 2166136261U;
  for (const char c :
       compact_text(without_hash(pod_template)) + (collisions ? std::to_string(collisions) : "")) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 16777619U;
  }
  constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
  std::string text;
  for (const char digit : std::to_string(hash)) text += kLetters[static_cast<unsigned char>(digit) % 27];
  return text;
}

}  // namespace

bool is_recreated(const Json& deployment) {
  return string_at(deployment, {"spec", "strategy", "type"}) == "Recreate";
}

std::vector<ObjectPtr> ReplicaSets::all() const {
  std::vector<ObjectPtr> sets = old;
  if (current) sets.push_back(current);
  return sets;
}

bool is_same_template(const Json& a, const Json& b) {
  return without_hash(a) == without_hash(b);
}

ReplicaSets sort_replica_sets(const Json& deployment, const std::vector<ObjectPtr>& sets) {
  ReplicaSets sorted;
  for (const ObjectPtr& set : sets)
    if (!sorted.current && !is_being_deleted(*set) &&
        is_same_template(api::pod_template_of(*set), api::pod_template_of(deployment)))
      sorted.current = set;
    else
      sorted.old.push_back(set);
  return sorted;
}

long long wanted_replicas(const std::vector<ObjectPtr>& sets) {
  long long sum = 0;
  for (const ObjectPtr& set : sets) sum += replicas_in(*set);
  return sum;
}

long long sum_of_status(const std::vector<ObjectPtr>& sets, std::string_view counter) {
  long long sum = 0;
  for (const ObjectPtr& set : sets) sum += int_at(*set, {"status", counter});
  return sum;
}

RolloutLimits limits_of(const Json& deployment) {
  if (is_recreated(deployment)) return {};
  const Json& strategy = object_at(deployment, {"spec", "strategy", "rollingUpdate"});
  const auto limit = [&](const char* field, bool round_up) {
    const auto parsed = api::IntOrPercent::from_json(strategy.value(field, Json()));
    return parsed ? parsed->of(replicas_in(deployment), round_up) : 0;
  };
  RolloutLimits limits{limit("maxSurge", true), limit("maxUnavailable", false)};
  if (limits.surge == 0 && limits.unavailable == 0) limits.unavailable = 1;
  limits.unavailable = std::min(limits.unavailable, replicas_in(deployment));
  return limits;
}

long long first_size(const Json& deployment, const ReplicaSets& sets) {
  const long long wanted = replicas_in(deployment), own = sets.current ? replicas_in(*sets.current) : 0;
  if (is_recreated(deployment)) return wanted;
  const long long room = wanted + limits_of(deployment).surge - wanted_replicas(sets.all());
  return room <= 0 ? own : own + std::min(room, wanted - own);
}

namespace {

/// First removes unavailable old pods, then available ones as long as enough pods remain.
std::vector<Scaling> shrunk_old_sets(const Json& deployment, const ReplicaSets& sets) {
  const long long least = replicas_in(deployment) - limits_of(deployment).unavailable;
  const long long missing =
      sets.current ? replicas_in(*sets.current) - int_at(*sets.current, {"status", "availableReplicas"}) : 0;
  long long most = wanted_replicas(sets.all()) - least - missing;
  std::vector<Scaling> steps;
  if (most <= 0) return steps;
  long long spare = sum_of_status(sets.all(), "availableReplicas") - least;
  for (const ObjectPtr& set : sets.old) {
    const long long size = replicas_in(*set), available = int_at(*set, {"status", "availableReplicas"});
    const long long unhealthy = std::clamp<long long>(size - available, 0, most);
    most -= unhealthy;
    const long long healthy = std::clamp<long long>(size - unhealthy, 0, std::max<long long>(0, spare));
    spare -= healthy;
    if (unhealthy + healthy > 0) steps.push_back({set, size - unhealthy - healthy});
  }
  return steps;
}

}  // namespace

std::vector<Scaling> next_rolling_step(const Json& deployment, const ReplicaSets& sets) {
  const long long wanted = replicas_in(deployment);
  if (sets.current) {
    const long long size = replicas_in(*sets.current);
    const long long next = size > wanted ? wanted : first_size(deployment, sets);
    if (next != size) return {{sets.current, next}};
  }
  return shrunk_old_sets(deployment, sets);
}

bool has_new_size(const Json& deployment, const ReplicaSets& sets) {
  for (const ObjectPtr& set : sets.all()) {
    const std::string size = annotation_of(*set, kDesiredReplicas);
    if (replicas_in(*set) > 0 && !size.empty() && std::atoll(size.c_str()) != replicas_in(deployment))
      return true;
  }
  return false;
}

std::vector<Scaling> scaled_in_proportion(const Json& deployment, const ReplicaSets& sets) {
  const long long wanted = replicas_in(deployment);
  std::vector<ObjectPtr> active = sets.all();
  std::erase_if(active, [](const ObjectPtr& set) { return replicas_in(*set) == 0; });
  if (active.empty() && sets.current) active = {sets.current};
  if (active.empty()) return {};
  if (active.size() == 1) return {{active[0], wanted}};
  const bool is_saturated = sets.current && replicas_in(*sets.current) == wanted &&
                            int_at(*sets.current, {"status", "availableReplicas"}) == wanted;
  std::vector<Scaling> steps;
  if (is_saturated) {
    for (const ObjectPtr& set : sets.old) steps.push_back({set, 0});
    steps.push_back({sets.current, wanted});  // the size stays, but the annotation must record the new total
    return steps;
  }
  if (is_recreated(deployment)) return steps;
  const long long total = wanted > 0 ? wanted + limits_of(deployment).surge : 0;
  const long long change = total - wanted_replicas(active);
  if (change == 0) {
    for (const ObjectPtr& set : active) steps.push_back({set, replicas_in(*set)});
    return steps;
  }
  // Starts with the largest set, which takes what rounding leaves over.
  std::stable_sort(active.begin(), active.end(),
                   [](const ObjectPtr& a, const ObjectPtr& b) { return replicas_in(*a) > replicas_in(*b); });
  const long long before = wanted_replicas(active);
  long long left = change;
  for (const ObjectPtr& set : active) {
    const long long part = change * replicas_in(*set) / std::max<long long>(1, before);
    steps.push_back({set, std::max<long long>(0, replicas_in(*set) + part)});
    left -= part;
  }
  steps[0].replicas = std::max<long long>(0, steps[0].replicas + left);
  return steps;
}

Json inherited_annotations(const Json& deployment) {
  Json annotations = api::annotations_of(deployment);
  for (const std::string_view own :
       {std::string_view("kubectl.kubernetes.io/last-applied-configuration"), kRevision, kDesiredReplicas})
    annotations.erase(std::string(own));
  return annotations;
}

long long revision_of_set(const Json& set) {
  return std::atoll(annotation_of(set, kRevision).c_str());
}

Json new_replica_set(const Json& deployment, long long collisions) {
  const std::string hash = hash_of(api::pod_template_of(deployment), collisions), key(kTemplateHash);
  Json pod_template = api::pod_template_of(deployment), selector = deployment.at("spec").at("selector");
  pod_template["metadata"]["labels"][key] = hash;
  selector["matchLabels"][key] = hash;
  Json set = {{"apiVersion", "apps/v1"},
              {"kind", "ReplicaSet"},
              {"metadata",
               {{"name", name_of(deployment) + "-" + hash},
                {"namespace", namespace_of(deployment)},
                {"labels", pod_template["metadata"]["labels"]},
                {"annotations", inherited_annotations(deployment)},
                {"ownerReferences", Json::array({controller_reference(deployment)})}}},
              {"spec",
               {{"replicas", 0},
                {"minReadySeconds", int_at(deployment, {"spec", "minReadySeconds"})},
                {"selector", std::move(selector)},
                {"template", std::move(pod_template)}}}};
  if (int_at(set, {"spec", "minReadySeconds"}) == 0) set["spec"].erase("minReadySeconds");
  return set;
}

}  // namespace kml::local
