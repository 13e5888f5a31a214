#include "local/routes/writes.h"

#include <fmt/format.h>

#include "kml/base/text.h"
#include "kml/kube/objects/object.h"
#include "local/admission/warnings.h"
#include "local/api/api_error.h"
#include "local/api/request_body.h"
#include "local/routes/routes.h"
#include "local/routes/scale.h"
#include "local/store/object.h"
#include "local/store/store.h"

namespace kml::local {

namespace {

// How many names to generate until one is free, as in the API server.
constexpr int kNameAttempts = 8;
// A longer prefix is shortened, to leave room for the random end of a generated name
// (k8s.io/apiserver/pkg/storage/names).
constexpr size_t kLongestNamePrefix = 58;

/// Checks that the object's kind and version match the path of the request. Sets them if they are missing.
void check_type(const ApiPath& path, Json& object) {
  const std::string version = path.kind->api_version();
  const std::string given_version = api::api_version_of(object), given_kind = api::kind_name(object);
  if (!given_version.empty() && given_version != version)
    throw bad_request(
        fmt::format("the API version in the data ({}) does not match the expected API version ({})",
                    given_version, version));
  if (!given_kind.empty() && given_kind != path.kind->kind)
    throw bad_request(fmt::format("the kind in the data ({}) does not match the expected kind ({})",
                                  given_kind, path.kind->kind));
  api::set_kind(object, *path.kind);
}

Json& metadata_of(Json& object) {
  Json& metadata = object["metadata"];
  if (metadata.is_null()) metadata = Json::object();
  if (!metadata.is_object()) throw bad_request("metadata is not an object");
  return metadata;
}

/// Restores a field to its value before the change. Removes the field if it did not exist.
void keep(Json& next, const Json& current, const char* field) {
  next.erase(field);
  if (const auto was = current.find(field); was != current.end()) next[field] = *was;
}

/// Removes null values: in the API, null means that a field is not set.
void drop_nulls(Json& value) {
  if (value.is_object())
    for (auto it = value.begin(); it != value.end();) it = it->is_null() ? value.erase(it) : std::next(it);
  if (value.is_structured())
    for (Json& item : value) drop_nulls(item);
}

void check_name(const ApiPath& path, const Json& object) {
  const std::string name = api::name_of(object);
  if (name.empty())
    throw bad_request(fmt::format(
        "the name of the object ({} based on URL) was undeterminable: name must be provided", path.name));
  if (name != path.name)
    throw bad_request(
        fmt::format("the name of the object ({}) does not match the name on the URL ({})", name, path.name));
}

void check_namespace(const ApiPath& path, Json& object) {
  const std::string given = api::namespace_of(object);
  if (!given.empty() && given != path.namespace_name)
    throw bad_request(
        "the namespace of the provided object does not match the namespace sent on the request");
  if (path.kind->namespaced) object["metadata"]["namespace"] = path.namespace_name;
}

/// Turns an object that a client sent into an object of the path's kind. Removes fields that the kind does
/// not have, and returns warnings about them.
std::vector<std::string> decode(const ApiPath& path, Json& object, const HttpRequest& request) {
  check_type(path, object);
  drop_nulls(object);
  const bool is_text = !request.content_type.starts_with(kProtobuf);
  return check_fields(*path.kind, object,
                      is_text ? duplicate_fields(request.body) : std::vector<std::string>(),
                      request.parameter("fieldValidation"));
}

}  // namespace

bool has_status(const api::ResourceKind& kind) {
  return kind.kind == "Pod" || kind.kind == "Job" || kind.kind == "CronJob" || kind.kind == "PyTorchJob" ||
         kind.kind == "Node" || kind.kind == "Namespace" || kind.kind == "Service" ||
         kind.kind == "PersistentVolumeClaim" || kind.kind == "ResourceQuota" || has_scale(kind);
}

HttpResponse Writes::create(const ApiPath& path, const HttpRequest& request) {
  if (path.kind->namespaced && path.namespace_name.empty())
    throw bad_request("a namespace is needed to create " + resource_name(*path.kind));
  check_write_options(request, "CreateOptions");
  Json object = object_of(request);
  std::vector<std::string> warnings = decode(path, object, request);
  Json& metadata = metadata_of(object);
  check_namespace(path, object);
  if (!api::revision_of(object).empty())
    throw api_error(500, "", "resourceVersion should not be set on objects to be created");
  for (const char* owned : {"uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds",
                            "generation", "resourceVersion", "managedFields", "selfLink"})
    metadata.erase(owned);
  if (has_status(*path.kind)) object.erase("status");
  // Set before admission, because the selector of a Job contains its uid.
  metadata["uid"] = new_uid();
  const bool dry_run = is_dry_run(request);
  ObjectPtr created = create_with_generated_name(path, std::move(object), dry_run);
  HttpResponse response = json_response(201, *created);
  response.warnings = std::move(warnings);
  for (std::string& warning : warnings_of(*path.kind, *created, nullptr))
    response.warnings.push_back(std::move(warning));
  return response;
}

ObjectPtr Writes::create_with_generated_name(const ApiPath& path, Json object, bool dry_run) {
  const std::string prefix = api::generate_name_of(object).substr(0, kLongestNamePrefix);
  if (!api::name_of(object).empty() || prefix.empty())
    return create_admitted(path, std::move(object), dry_run);
  for (int attempt = 1;; ++attempt) {
    std::string name = prefix + random_suffix();
    const bool is_free = !store_.get(*path.kind, path.namespace_name, name);
    object["metadata"]["name"] = std::move(name);
    if (attempt == kNameAttempts || is_free) return create_admitted(path, std::move(object), dry_run);
  }
}

ObjectPtr Writes::create_admitted(const ApiPath& path, Json object, bool dry_run) {
  admission_.admit_new(*path.kind, object);
  const std::string name = api::name_of(object);
  if (store_.get(*path.kind, path.namespace_name, name))
    throw ApiError(api_error(409, "AlreadyExists",
                             fmt::format("{} \"{}\" already exists", resource_name(*path.kind), name)),
                   *path.kind, path.kind->plural, name);
  if (!dry_run) return store_.create(*path.kind, std::move(object));
  begin_life(object, clock_.now());
  return std::make_shared<const Json>(std::move(object));
}

HttpResponse Writes::replace(const ApiPath& path, const HttpRequest& request) {
  check_write_options(request, "UpdateOptions");
  Json next = object_of(request);
  std::vector<std::string> warnings = decode(path, next, request);
  check_name(path, next);
  ObjectPtr current = store_.get(*path.kind, path.namespace_name, path.name);
  if (!current) throw not_found(*path.kind, path.name);
  return store_change(path, *current, std::move(next), is_dry_run(request), std::move(warnings));
}

HttpResponse Writes::patch(const ApiPath& path, const HttpRequest& request) {
  check_write_options(request, "PatchOptions");
  ObjectPtr current = store_.get(*path.kind, path.namespace_name, path.name);
  if (!current) throw not_found(*path.kind, path.name);
  Json next = patched(*path.kind, *current, request.content_type, request.body);
  if (!next.is_object()) throw bad_request("the patch leaves no object");
  std::vector<std::string> warnings;
  try {
    warnings = decode(path, next, request);
  } catch (const Error& error) {  // the patched object is no longer valid for its kind
    FieldErrors errors;
    errors.invalid("patch", request.body, error.message);
    errors.throw_if_any({"", "", "", "", "", "", false}, "");
  }
  return store_change(path, *current, std::move(next), is_dry_run(request), std::move(warnings));
}

HttpResponse Writes::store_change(const ApiPath& path, const Json& current, Json next, bool dry_run,
                                  std::vector<std::string> warnings) {
  Json& metadata = metadata_of(next);
  check_namespace(path, next);
  check_name(path, next);
  if (path.subresource == "status") {
    Json changed = current;
    changed["status"] = next["status"];
    changed["metadata"]["resourceVersion"] = api::revision_of(next);
    next = std::move(changed);
  } else {
    // Only the server sets these fields.
    for (const char* owned : {"deletionTimestamp", "deletionGracePeriodSeconds"})
      keep(metadata, api::metadata_of(current), owned);
    if (has_status(*path.kind)) keep(next, current, "status");
    admission_.admit_change(*path.kind, next, current);
    for (std::string& warning : warnings_of(*path.kind, next, &current))
      warnings.push_back(std::move(warning));
  }
  HttpResponse response;
  if (dry_run) {
    if (metadata_of(next).contains("generation") && api::spec_of(next) != api::spec_of(current))
      metadata_of(next)["generation"] = api::generation_of(current) + 1;
    response = json_response(200, next);
  } else {
    ObjectPtr stored = store_.update(*path.kind, std::move(next));
    deletion_.finish(*path.kind, *stored);
    response = json_response(200, *stored);
  }
  response.warnings = std::move(warnings);
  return response;
}

}  // namespace kml::local
