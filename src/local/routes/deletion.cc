#include "local/routes/deletion.h"

#include <algorithm>
#include <charconv>

#include "local/api/api_error.h"
#include "local/api/request_body.h"
#include "local/api/selection.h"
#include "local/store/object.h"
#include "local/tables/representation.h"

namespace kml::local {

namespace {

constexpr const char* kForeground = "foregroundDeletion";

bool is_owned_by(const Json& object, const std::string& uid) {
  const Json& owners = array_at(object, {"metadata", "ownerReferences"});
  return std::any_of(owners.begin(), owners.end(),
                     [&](const Json& owner) { return string_at(owner, {"uid"}) == uid; });
}

Json success(const api::ResourceKind& kind, const Json& object) {
  Json details = {{"name", name_of(object)}, {"kind", kind.plural}, {"uid", uid_of(object)}};
  if (!kind.group.empty()) details["group"] = kind.group;
  return {{"kind", "Status"},
          {"apiVersion", "v1"},
          {"metadata", Json::object()},
          {"status", "Success"},
          {"details", std::move(details)}};
}

}  // namespace

struct Deletion::Options {
  std::optional<int64_t> grace_seconds;
  std::string propagation;  ///< empty: the kind's default
  std::string uid, resource_version;
  bool dry_run = false;

  void check(const api::ResourceKind& kind, const Json& object) const {
    const std::string revision = string_at(object, {"metadata", "resourceVersion"});
    if ((!uid.empty() && uid != uid_of(object)) ||
        (!resource_version.empty() && resource_version != revision))
      throw api_error(409, "Conflict",
                      "the precondition of this delete does not hold: " + resource_name(kind) + " \"" +
                          name_of(object) + "\" has uid " + uid_of(object) + " and resourceVersion " +
                          revision);
  }
};

Deletion::Deletion(Store& store, const Clock& clock) : store_(store), clock_(clock) {}

Deletion::Options Deletion::options_of(const HttpRequest& request) const {
  const Json body = request.body.empty() ? Json::object() : object_of(request);
  Options options;
  options.propagation = string_at(body, {"propagationPolicy"}, request.parameter("propagationPolicy"));
  const Json* orphan = kml::find(body, {"orphanDependents"});
  if (options.propagation.empty() && orphan && orphan->is_boolean())
    options.propagation = orphan->get<bool>() ? "Orphan" : "Background";
  FieldErrors errors;
  if (const std::string& p = options.propagation;
      !p.empty() && p != "Orphan" && p != "Background" && p != "Foreground")
    errors.not_supported("propagationPolicy", p, "\"Background\", \"Foreground\", \"Orphan\"");
  errors.throw_if_any({"meta.k8s.io", "v1", "DeleteOptions", "", "", "", false}, "");
  int64_t grace = int_at(body, {"gracePeriodSeconds"}, -1);
  if (std::string text = request.parameter("gracePeriodSeconds"); !text.empty())
    std::from_chars(text.data(), text.data() + text.size(), grace);
  if (grace >= 0) options.grace_seconds = grace;
  options.uid = string_at(body, {"preconditions", "uid"});
  options.resource_version = string_at(body, {"preconditions", "resourceVersion"});
  options.dry_run = is_dry_run(request) || !array_at(body, {"dryRun"}).empty();
  return options;
}

HttpResponse Deletion::answer(const api::ResourceKind& kind, const Options& options, std::string body) const {
  HttpResponse response{.body = std::move(body)};
  if (kind.kind == "Job" && options.propagation.empty())
    response.warnings.push_back(
        "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to "
        "remove them or "
        "set propagationPolicy=Orphan to suppress this warning");
  return response;
}

HttpResponse Deletion::remove(const ApiPath& path, const HttpRequest& request) {
  const Options options = options_of(request);
  ObjectPtr object = store_.get(*path.kind, path.namespace_name, path.name);
  if (!object) throw not_found(*path.kind, path.name);
  options.check(*path.kind, *object);
  const bool stays = path.kind->kind == "Pod" || !array_at(*object, {"metadata", "finalizers"}).empty();
  ObjectPtr left = !options.dry_run ? remove_one(*path.kind, *object, options) : stays ? object : nullptr;
  return answer(*path.kind, options, (left ? *left : success(*path.kind, *object)).dump());
}

HttpResponse Deletion::remove_collection(const ApiPath& path, const HttpRequest& request) {
  const Options options = options_of(request);
  const Selection selection(path, request);
  const Representation whole(*path.kind, {});
  std::string items;
  for (const ObjectPtr& object : store_.list(*path.kind, path.namespace_name)) {
    if (!selection.matches(*object)) continue;
    if (!options.dry_run) remove_one(*path.kind, *object, options);
    if (!items.empty()) items += ',';
    whole.append_item(items, *object, clock_.now());
  }
  return answer(*path.kind, options, whole.begin_list(Json::object()) + items + Representation::kListEnd);
}

ObjectPtr Deletion::remove_one(const api::ResourceKind& kind, const Json& object, const Options& options) {
  if (kind.kind == "Pod") return mark_pod(kind, object, options);
  if (kind.kind == "Namespace") return mark_namespace(kind, object);
  std::string propagation = options.propagation;
  if (propagation.empty()) propagation = kind.kind == "Job" ? "Orphan" : "Background";
  if (propagation == "Foreground") return mark(kind, object, std::chrono::seconds(0), kForeground);
  if (propagation == "Orphan") orphan_dependents(object);
  if (!array_at(object, {"metadata", "finalizers"}).empty())
    return mark(kind, object, std::chrono::seconds(0), nullptr);
  store_.remove(kind, string_at(object, {"metadata", "namespace"}), name_of(object));
  return nullptr;
}

ObjectPtr Deletion::mark_pod(const api::ResourceKind& kind, const Json& pod, const Options& options) {
  int64_t grace = options.grace_seconds.value_or(int_at(pod, {"spec", "terminationGracePeriodSeconds"}, 30));
  // Nothing runs that could use it.
  if (string_at(pod, {"spec", "nodeName"}).empty() || is_terminal(pod)) grace = 0;
  // A second delete may only shorten what the first one granted.
  if (pod["metadata"].contains("deletionTimestamp") &&
      grace >= int_at(pod, {"metadata", "deletionGracePeriodSeconds"}))
    return store_.get(kind, string_at(pod, {"metadata", "namespace"}), name_of(pod));
  return mark(kind, pod, std::chrono::seconds(std::min<int64_t>(grace, 1'000'000'000)), nullptr);
}

ObjectPtr Deletion::mark_namespace(const api::ResourceKind& kind, const Json& object) {
  const std::string name = name_of(object);
  if (name == "default" || name == "kube-system")
    throw forbidden(kind, name, "this namespace may not be deleted");
  return store_.modify(kind, "", name, [&](Json& next) {
    if (!next["metadata"].contains("deletionTimestamp"))
      next["metadata"]["deletionTimestamp"] = rfc3339(clock_.now());
    next["status"]["phase"] = "Terminating";
  });
}

ObjectPtr Deletion::mark(const api::ResourceKind& kind, const Json& object, std::chrono::seconds grace,
                         const char* finalizer) {
  return store_.modify(kind, string_at(object, {"metadata", "namespace"}), name_of(object), [&](Json& next) {
    Json& metadata = next["metadata"];
    // When its grace ends, as in a real API server; a shorter grace moves it.
    if (!metadata.contains("deletionTimestamp") || kind.kind == "Pod")
      metadata["deletionTimestamp"] = rfc3339(clock_.now() + grace);
    metadata["deletionGracePeriodSeconds"] = grace.count();
    if (!finalizer) return;
    const Json& had = array_at(next, {"metadata", "finalizers"});
    if (std::find(had.begin(), had.end(), finalizer) == had.end())
      metadata["finalizers"].push_back(finalizer);
  });
}

void Deletion::orphan_dependents(const Json& owner) {
  const std::string uid = uid_of(owner);
  for (const api::ResourceKind& kind : api::known_kinds()) {
    if (!is_served(kind)) continue;
    for (const ObjectPtr& object : store_.list(kind, string_at(owner, {"metadata", "namespace"}))) {
      if (!is_owned_by(*object, uid)) continue;
      store_.modify(kind, string_at(*object, {"metadata", "namespace"}), name_of(*object), [&](Json& next) {
        Json& owners = next["metadata"]["ownerReferences"];
        owners.erase(
            std::remove_if(owners.begin(), owners.end(),
                           [&](const Json& reference) { return string_at(reference, {"uid"}) == uid; }),
            owners.end());
      });
    }
  }
}

bool Deletion::finish(const api::ResourceKind& kind, const Json& object) {
  const Json& metadata = object.at("metadata");
  if (kind.kind == "Pod" || !metadata.contains("deletionTimestamp") ||
      !array_at(metadata, {"finalizers"}).empty())
    return false;
  store_.remove(kind, string_at(metadata, {"namespace"}), string_at(metadata, {"name"}));
  return true;
}

}  // namespace kml::local
