// Kubernetes' own form of merging: objects are merged field by field, and lists of objects item by item.
// Items are identified by the key that the API defines for the list ("name", "containerPort", …). The patch
// may contain directives ($patch, $retainKeys, $deleteFromPrimitiveList, $setElementOrder). kubectl apply and
// edit depend on the order of a merged list, so ordered() sorts as the API server does.

#include "kml/base/exception_text.h"
#include "local/routes/routes.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "kml/base/text.h"
#include "local/api/api_error.h"
#include "local/api/request_body.h"
#include "local/http/http_server.h"

namespace kml::local {

namespace {

constexpr std::string_view kOrder = "$setElementOrder/", kDeletion = "$deleteFromPrimitiveList/";

/// How the items in a list are identified (patchMergeKey of the fields in k8s.io/api).
struct MergedList {
  std::string_view field, key;  ///< an empty key means that the items are strings
};
constexpr MergedList kMergedLists[] = {
    {"containers", "name"},
    {"initContainers", "name"},
    {"ephemeralContainers", "name"},
    {"env", "name"},
    {"volumes", "name"},
    {"imagePullSecrets", "name"},
    {"secrets", "name"},
    {"schedulingGates", "name"},
    {"resourceClaims", "name"},
    {"volumeMounts", "mountPath"},
    {"volumeDevices", "devicePath"},
    {"hostAliases", "ip"},
    {"topologySpreadConstraints", "topologyKey"},
    {"conditions", "type"},
    {"addresses", "type"},
    {"ownerReferences", "uid"},
    {"finalizers", ""},
};

/// The key that identifies the list's items; empty if the whole list is replaced.
std::optional<std::string_view> merge_key(std::string_view field, const Json& items) {
  if (field == "ports") {  // the ports of a container and of a Service have different keys
    const bool of_container = !items.empty() && items[0].is_object() && items[0].contains("containerPort");
    return of_container ? "containerPort" : "port";
  }
  for (const MergedList& list : kMergedLists)
    if (list.field == field) return list.key;
  return std::nullopt;
}

/// The value that identifies an item within its list.
const Json& identity(const Json& item, std::string_view key) {
  if (key.empty()) return item;
  const Json* found = item.is_object() ? find(item, {key}) : nullptr;
  if (!found) throw bad_request(fmt::format("an item of the patch does not contain its merge key: {}", key));
  return *found;
}

/// The index of the item with that identity, or the size of the list if there is none.
size_t place_of(const Json& list, const Json& wanted, std::string_view key) {
  size_t at = 0;
  while (at < list.size() && identity(list[at], key) != wanted) ++at;
  return at;
}

/// Sorts the items in `order` into that order. Each other item stays before the item that it preceded.
Json ordered(const Json& merged, const Json& order, const Json& original, std::string_view key) {
  Json named = Json::array(), others = Json::array(), result = Json::array();
  for (const Json& item : order)
    if (size_t at = place_of(merged, identity(item, key), key); at < merged.size())
      named.push_back(merged[at]);
  for (const Json& item : merged)
    if (place_of(order, identity(item, key), key) == order.size()) others.push_back(item);
  size_t i = 0, j = 0;
  while (i < others.size() || j < named.size()) {
    bool take_other = j == named.size();
    if (i < others.size() && j < named.size()) {
      const size_t other_place = place_of(original, identity(others[i], key), key),
                   named_place = place_of(original, identity(named[j], key), key);
      take_other = named_place < original.size() && other_place < named_place;
    }
    result.push_back(take_other ? others[i++] : named[j++]);
  }
  return result;
}

void merge_object(Json& target, const Json& patch);

void merge_list(Json& list, const Json& patch, std::string_view key) {
  const Json original = list;
  Json order = Json::array();
  for (const Json& item : patch) {
    const std::string directive = string_at(item, {"$patch"});
    if (directive == "replace") {
      list = Json::array();
      continue;
    }
    const size_t at = place_of(list, identity(item, key), key);
    if (directive == "delete") {
      if (at < list.size()) list.erase(at);
      continue;
    }
    order.push_back(item);
    if (at == list.size()) list.push_back(item.is_object() ? Json::object() : item);
    if (item.is_object()) merge_object(list[at], item);
  }
  list = ordered(list, order, original, key);
}

void merge_field(Json& target, const std::string& field, const Json& value) {
  if (value.is_null()) {
    target.erase(field);
  } else if (value.is_object()) {
    if (!target[field].is_object()) target[field] = Json::object();
    merge_object(target[field], value);
  } else if (auto key = value.is_array() ? merge_key(field, value) : std::nullopt) {
    if (!target[field].is_array()) target[field] = Json::array();
    merge_list(target[field], value, *key);
  } else {
    target[field] = value;
  }
}

void merge_object(Json& target, const Json& patch) {
  const Json original = target;
  const std::string directive = string_at(patch, {"$patch"});
  if (directive == "replace" || directive == "delete") target = Json::object();
  if (directive == "delete") return;
  for (const auto& [field, value] : patch.items())
    if (!field.starts_with('$')) merge_field(target, field, value);
  for (const auto& [field, value] : patch.items()) {
    if (field.starts_with(kDeletion)) {
      Json& list = target[field.substr(kDeletion.size())];
      for (const Json& gone : value)
        if (list.is_array()) list.erase(std::remove(list.begin(), list.end(), gone), list.end());
    } else if (field.starts_with(kOrder)) {
      const std::string name = field.substr(kOrder.size());
      const auto key = merge_key(name, value);
      if (key && value.is_array() && target.contains(name))
        target[name] = ordered(target[name], value, array_at(original, {name}), *key);
    } else if (field == "$retainKeys") {
      for (auto it = target.begin(); it != target.end();)
        it =
            std::find(value.begin(), value.end(), it.key()) == value.end() ? target.erase(it) : std::next(it);
    }
  }
}

}  // namespace

void merge_strategically(Json& object, const Json& patch) {
  if (!patch.is_object()) throw bad_request("a strategic merge patch is an object");
  merge_object(object, patch);
}

namespace {

// The same limit as in the API server.
constexpr size_t kMaxOperations = 10'000;

bool is_of(const Json& operation, std::string_view kind) {
  return string_at(operation, {"op"}) == kind;
}

/// If the field is missing, the API server's library treats "replace" as "add".
Json as_add(const Json& object, Json operation) {
  const std::string path = string_at(operation, {"path"});
  if (is_of(operation, "replace") && path.starts_with('/') && !object.contains(Json::json_pointer(path)))
    operation["op"] = "add";
  return operation;
}

/// Applies the operations one by one. Counts the bytes copied by "copy", because each copy can double the
/// size of the document.
Json with_operations(Json object, const Json& operations) {
  if (!operations.is_array()) throw bad_request("a JSON patch is a list of operations");
  if (operations.size() > kMaxOperations)
    throw api_error(413, "RequestEntityTooLarge", "a JSON patch may have at most 10000 operations");
  size_t copied = 0;
  try {
    for (const Json& operation : operations) {
      if (is_of(operation, "copy")) {
        copied += object.at(Json::json_pointer(string_at(operation, {"from"}))).dump().size();
        if (copied > HttpServer::kMaxBody)
          throw api_error(413, "RequestEntityTooLarge",
                          "the copy operations of a JSON patch may copy at most 3 MiB in total");
      }
      object.patch_inplace(Json::array({as_add(object, operation)}));
    }
  } catch (const Json::exception& e) {
    throw api_error(422, "Invalid", std::string("the patch does not fit the object: ") + exception_text(e));
  }
  return object;
}

}  // namespace

Json patched(const api::ResourceKind& kind, Json object, std::string_view content_type,
             std::string_view patch) {
  const std::string_view type = trim(content_type.substr(0, content_type.find(';')));
  if (type == "application/merge-patch+json") {
    object.merge_patch(parse_body(patch));
    return object;
  }
  if (type == "application/json-patch+json") return with_operations(std::move(object), parse_body(patch));
  const bool has_strategy =
      kind.group != "kubeflow.org";  // kml does not know the keys for a custom resource's lists
  if (type == "application/strategic-merge-patch+json" && has_strategy) {
    merge_strategically(object, parse_body(patch));
    return object;
  }
  throw api_error(
      415, "UnsupportedMediaType",
      std::string("the body of the request was in an unknown format - accepted media types include: "
                  "application/json-patch+json, application/merge-patch+json") +
          (has_strategy ? ", application/strategic-merge-patch+json" : ""));
}

}  // namespace kml::local
