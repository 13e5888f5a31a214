#include "local/routes/routes.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "kml/base/text.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/status.h"
#include "local/api/api_error.h"
#include "local/api/selection.h"
#include "local/store/object.h"
#include "local/tables/representation.h"

namespace kml::local {

namespace {

/// Where a list continues: after the object with that name, in the state at that revision. 0 means the
/// current state.
struct Position {
  uint64_t revision;
  Place after;

  std::string token() const {
    return base64_encoded(Json{revision, after.namespace_name, after.name}.dump());
  }

  static Position parse(const std::string& token, uint64_t current) {
    const Json json = Json::parse(base64_decoded(token).value_or(""), nullptr, /*allow_exceptions=*/false);
    if (!json.is_array() || json.size() != 3 || !json[0].is_number_unsigned() || !json[1].is_string() ||
        !json[2].is_string())
      throw bad_request("continue key is not valid");
    Position position{json[0], {json[1], json[2]}};
    if (position.revision > current)
      throw api_error(410, "Expired",
                      "the continue token comes from another server; start the list again without it");
    return position;
  }

  bool is_before(const Json& object) const {
    return std::pair(after.namespace_name, after.name) <
           std::pair(api::namespace_of(object), api::name_of(object));
  }
};

using ObjectsByPlace = std::map<std::pair<std::string, std::string>, ObjectPtr>;

/// The objects as they were at an earlier revision; empty if the store no longer has all changes since then.
std::optional<std::vector<ObjectPtr>> objects_at(const Store& store, const Selection& selection,
                                                 uint64_t revision) {
  const auto events = store.events_since(revision);
  if (!events) return std::nullopt;
  auto key = [](const ObjectPtr& object) { return std::pair(namespace_of(*object), name_of(*object)); };
  ObjectsByPlace objects;
  for (ObjectPtr& object : store.list(selection.kind(), selection.namespace_name()))
    objects.emplace(key(object), std::move(object));
  for (auto event = events->rbegin(); event != events->rend(); ++event) {
    if (event->kind != &selection.kind()) continue;
    if (event->previous)
      objects[key(event->object)] = event->previous;
    else
      objects.erase(key(event->object));
  }
  std::vector<ObjectPtr> found;
  for (auto& [place, object] : objects) found.push_back(std::move(object));
  return found;
}

/// The 410 response. It has a token with which clients can continue in the current state, if they accept a
/// list that mixes two states.
HttpResponse expired(Position position) {
  position.revision = 0;
  Json status = api::failure_status(
      410, "Expired",
      "The provided continue parameter is too old to display a consistent list result. You can start a new "
      "list without the continue parameter, or use the continue token in this response to retrieve the "
      "remainder of the results. Continuing with the provided token results in an inconsistent list - "
      "objects that were created, modified, or deleted between the time the first chunk was returned and now "
      "may show up in the list.");
  status["metadata"]["continue"] = position.token();
  return json_response(410, status);
}

size_t limit_of(const HttpRequest& request) {
  const std::string text = request.parameter("limit");
  size_t limit = 0;
  const char* end = text.data() + text.size();
  if (!text.empty() && std::from_chars(text.data(), end, limit).ptr != end)
    throw bad_request("limit is not a number: " + text);
  return limit;
}

}  // namespace

HttpResponse list_objects(const Store& store, const Clock& clock, const ApiPath& path,
                          const HttpRequest& request) {
  const Selection selection(path, request);
  const Representation form(*path.kind, request);
  const Time now = clock.now();
  const size_t limit = limit_of(request);
  Position position{requested_revision(request, store.revision()), {}};
  if (std::string token = request.parameter("continue"); !token.empty())
    position = Position::parse(token, store.revision());
  std::vector<ObjectPtr> objects;
  if (position.revision == 0 || position.revision == store.revision()) {
    position.revision = store.revision();
    objects = store.list(selection.kind(), selection.namespace_name(), position.after);
  } else if (auto found = objects_at(store, selection, position.revision)) {
    objects = std::move(*found);
  } else if (request.parameter("continue").empty()) {
    throw api_error(410, "Expired", "The resourceVersion for the provided list is too old.");
  } else {
    return expired(position);
  }

  // Written piece by piece, because a JSON tree of ten thousand objects would have to be copied only to be
  // printed.
  std::string items;
  size_t taken = 0, left = 0;
  const Json* last = nullptr;
  const auto first = std::partition_point(
      objects.begin(), objects.end(), [&](const ObjectPtr& object) { return !position.is_before(*object); });
  for (auto object = first; object != objects.end(); ++object) {
    if (!selection.matches(**object)) continue;
    if (limit > 0 && taken == limit) {
      left = objects.end() - object;
      break;
    }
    if (taken > 0) items += ',';
    form.append_item(items, **object, now);
    last = object->get();
    ++taken;
  }
  Json metadata = {{"resourceVersion", std::to_string(position.revision)}};
  if (left > 0) {
    metadata["continue"] =
        Position{position.revision, {api::namespace_of(*last), api::name_of(*last)}}.token();
    if (!selection.has_selectors()) metadata["remainingItemCount"] = left;
  }
  HttpResponse response;
  response.body = form.begin_list(metadata) + items + Representation::kListEnd;
  return response;
}

}  // namespace kml::local
