#include "local/routes/deletion.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "local/api/api_error.h"
#include "local/api/request_body.h"
#include "local/api/selection.h"
#include "local/store/object.h"
#include "local/tables/representation.h"

namespace kml::local {

namespace {

// metav1.FinalizerDeleteDependents, FinalizerOrphanDependents
constexpr const char* kOrphanPolicy = "Orphan";
constexpr const char* kForeground = "foregroundDeletion";
constexpr const char* kOrphan = "orphan";

bool is_owned_by(const Json& object, const std::string& uid) {
  const Json& owners = api::owners_of(object);
  return std::any_of(owners.begin(), owners.end(),
                     [&](const Json& owner) { return api::entry_uid(owner) == uid; });
}

Json success(const api::ResourceKind& kind, const Json& object) {
  Json details = {{"name", name_of(object)}, {"kind", kind.plural}, {"uid", uid_of(object)}};
  set_said(details, {{"group", kind.group}});
  return {{"kind", "Status"},
          {"apiVersion", "v1"},
          {"metadata", Json::object()},
          {"status", "Success"},
          {"details", std::move(details)}};
}

}  // namespace

struct Deletion::Options {
  std::optional<int64_t> grace_seconds;
  std::string propagation;  ///< the propagation policy; empty means the default for the kind
  std::string uid, resource_version;
  bool dry_run = false;

  void check(const api::ResourceKind& kind, const Json& object) const {
    require("UID", uid, uid_of(object), "deleted and then recreated", kind, name_of(object));
    require("ResourceVersion", resource_version, api::revision_of(object), "modified", kind, name_of(object));
  }

 private:
  static void require(std::string_view what, const std::string& wanted, const std::string& is,
                      std::string_view perhaps, const api::ResourceKind& kind, const std::string& name) {
    if (wanted.empty() || wanted == is) return;
    throw api_error(
        409, "Conflict",
        fmt::format(
            "Operation cannot be fulfilled on {}{}{} \"{}\": the {} in the precondition ({}) does not "
            "match the {} in record ({}). The object might have been {}",
            kind.kind, kind.group.empty() ? "" : ".", kind.group, name, what, wanted, what, is, perhaps));
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
  ObjectPtr left = remove_one(*path.kind, object, options);
  return answer(*path.kind, options, (left ? *left : success(*path.kind, *object)).dump());
}

HttpResponse Deletion::remove_collection(const ApiPath& path, const HttpRequest& request) {
  const Options options = options_of(request);
  const Selection selection(path, request);
  const Representation whole(*path.kind, {});
  std::string items;
  for (const ObjectPtr& object : store_.list(*path.kind, path.namespace_name)) {
    if (!selection.matches(*object)) continue;
    remove_one(*path.kind, object, options);
    if (!items.empty()) items += ',';
    whole.append_item(items, *object, clock_.now());
  }
  return answer(*path.kind, options, whole.begin_list(Json::object()) + items + Representation::kListEnd);
}

ObjectPtr Deletion::remove_one(const api::ResourceKind& kind, const ObjectPtr& object,
                               const Options& options) {
  const std::optional<Mark> mark = mark_of(kind, *object, options);
  if (!mark) {
    if (!options.dry_run) store_.remove(kind, namespace_of(*object), name_of(*object));
    return nullptr;
  }
  if (mark->is_there) return object;
  Json next = marked(kind, *object, *mark);
  const bool is_waiting_pod =
      kind.kind == "Pod" && api::node_of(*object).empty() && api::finalizers_of(*object).empty();
  if (is_waiting_pod && !options.dry_run) store_.remove(kind, namespace_of(*object), name_of(*object));
  if (is_waiting_pod || options.dry_run) return std::make_shared<const Json>(std::move(next));
  ObjectPtr left = store_.update(kind, std::move(next));
  if (mark->finalizer == kOrphan) release_dependents(kind, *left);
  return left;
}

std::optional<Deletion::Mark> Deletion::mark_of(const api::ResourceKind& kind, const Json& object,
                                                const Options& options) const {
  if (kind.kind == "Pod") return mark_of_pod(object, options);
  if (kind.kind == "Namespace") {
    if (const std::string name = name_of(object); name == "default" || name == "kube-system")
      throw forbidden(kind, name, "this namespace may not be deleted");
    return Mark{};
  }
  std::string propagation = options.propagation;
  if (propagation.empty()) propagation = kind.kind == "Job" ? kOrphanPolicy : "Background";
  if (propagation == "Foreground") return Mark{.finalizer = kForeground};
  if (propagation == kOrphanPolicy) return Mark{.finalizer = kOrphan};
  if (!api::finalizers_of(object).empty()) return Mark{};
  return std::nullopt;
}

Deletion::Mark Deletion::mark_of_pod(const Json& pod, const Options& options) {
  int64_t grace = options.grace_seconds.value_or(api::grace_seconds_of(pod));
  // The pod has no running processes that could use a grace period.
  if (api::node_of(pod).empty() || pod_has_ended(pod)) grace = 0;
  // A second deletion can only shorten the grace period of the first one.
  const bool is_there =
      is_being_deleted(pod) && grace >= int_at(pod, {"metadata", "deletionGracePeriodSeconds"});
  return {.grace = std::chrono::seconds(std::min<int64_t>(grace, 1'000'000'000)), .is_there = is_there};
}

Json Deletion::marked(const api::ResourceKind& kind, Json object, const Mark& mark) const {
  Json& metadata = object["metadata"];
  if (!is_being_deleted(object) && metadata.contains("generation"))
    metadata["generation"] = api::generation_of(object) + 1;
  // The time when the grace period ends, as in a real API server. A shorter grace period changes it.
  if (!is_being_deleted(object) || kind.kind == "Pod")
    metadata["deletionTimestamp"] = rfc3339(clock_.now() + mark.grace);
  if (kind.kind == "Namespace")
    object["status"]["phase"] = "Terminating";
  else
    metadata["deletionGracePeriodSeconds"] = mark.grace.count();
  if (mark.finalizer && !has_finalizer(object, mark.finalizer))
    metadata["finalizers"].push_back(mark.finalizer);
  return object;
}

/// Removes the owner references at once. In a cluster, the garbage collector does this a moment later.
void Deletion::release_dependents(const api::ResourceKind& kind, const Json& owner) {
  orphan_dependents(owner);
  ObjectPtr left = store_.modify(kind, namespace_of(owner), name_of(owner),
                                 [](Json& next) { remove_finalizer(next, kOrphan); });
  if (left) finish(kind, *left);
}

void Deletion::orphan_dependents(const Json& owner) {
  const std::string uid = uid_of(owner);
  for (const api::ResourceKind& kind : api::known_kinds()) {
    if (!is_served(kind)) continue;
    for (const ObjectPtr& object : store_.list(kind, api::namespace_of(owner))) {
      if (!is_owned_by(*object, uid)) continue;
      store_.modify(kind, api::namespace_of(*object), name_of(*object), [&](Json& next) {
        Json& owners = next["metadata"]["ownerReferences"];
        owners.erase(std::remove_if(owners.begin(), owners.end(),
                                    [&](const Json& reference) { return api::entry_uid(reference) == uid; }),
                     owners.end());
      });
    }
  }
}

bool Deletion::finish(const api::ResourceKind& kind, const Json& object) {
  if (kind.kind == "Pod" || !is_being_deleted(object) || !api::finalizers_of(object).empty()) return false;
  store_.remove(kind, namespace_of(object), name_of(object));
  return true;
}

}  // namespace kml::local
