#include "local/store/object.h"

#include <algorithm>
#include <charconv>

#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::local {

Json controller_reference(const Json& owner) {
  return {{"apiVersion", owner.at("apiVersion")},
          {"kind", owner.at("kind")},
          {"name", name_of(owner)},
          {"uid", uid_of(owner)},
          {"controller", true},
          {"blockOwnerDeletion", true}};
}

std::string controller_uid(const Json& object) {
  const Json* controller = api::controller_of(object);
  return controller ? api::entry_uid(*controller) : "";
}

std::string controller_name(const Json& object, const api::ResourceKind& kind) {
  const Json* controller = api::controller_of(object);
  if (!controller || api::kind_name(*controller) != kind.kind) return {};
  return namespace_of(object) + "/" + api::entry_name(*controller);
}

ObjectPtr get_by_full_name(const Store& store, const api::ResourceKind& kind, std::string_view full_name) {
  const size_t slash = full_name.find('/');
  return store.get(kind, full_name.substr(0, slash), full_name.substr(slash + 1));
}

bool is_finished(const Json& job) {
  return api::condition_is_true(job, "Complete") || api::condition_is_true(job, "Succeeded") ||
         api::condition_is_true(job, "Failed");
}

void set_condition(Json& object, std::string_view type, bool status, std::string_view reason,
                   std::string_view message, const std::string& now) {
  Json next = {{"type", type}, {"status", status ? "True" : "False"}, {"lastTransitionTime", now}};
  set_said(next, {{"reason", reason}, {"message", message}});
  Json& conditions = object["status"]["conditions"];
  for (Json& condition : conditions) {
    if (api::Condition(&condition).type() != type) continue;
    if (condition["status"] == next["status"] && condition.contains("lastTransitionTime"))
      next["lastTransitionTime"] = condition["lastTransitionTime"];
    condition = std::move(next);
    return;
  }
  conditions.push_back(std::move(next));
}

void mark_deleted(Json& pod, Time now) {
  if (is_being_deleted(pod)) return;
  set_deletion(pod, now, std::chrono::seconds(api::grace_seconds_of(pod)));
}

int64_t revision_number(const Json& object) {
  const std::string text = api::revision_of(object);
  int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

void begin_life(Json& object, Time now) {
  object["metadata"]["creationTimestamp"] = rfc3339(now);
  if (object.contains("spec")) object["metadata"]["generation"] = 1;
}

void set_deletion(Json& object, Time now, std::chrono::seconds grace) {
  object["metadata"].update(
      {{"deletionTimestamp", rfc3339(now + grace)}, {"deletionGracePeriodSeconds", grace.count()}});
}

bool has_finalizer(const Json& object, std::string_view name) {
  const Json& finalizers = api::finalizers_of(object);
  return std::find(finalizers.begin(), finalizers.end(), name) != finalizers.end();
}

bool remove_finalizer(Json& object, std::string_view name) {
  if (!has_finalizer(object, name)) return false;
  Json& finalizers = object["metadata"]["finalizers"];
  finalizers.erase(std::find(finalizers.begin(), finalizers.end(), name));
  if (finalizers.empty()) object["metadata"].erase("finalizers");
  return true;
}

}  // namespace kml::local
