#include "kml/base/suggestion.h"
#include "kml/base/text.h"
#include "kml/kube/client/client.h"
#include "kml/kube/objects/object.h"
#include "kube/client/request_parts.h"

namespace kml::kube {

namespace {

std::string group_path(const std::string& api_version) {
  const bool core = api_version.find('/') == std::string::npos;
  return (core ? "/api/" : "/apis/") + api_version;
}

/// The entry in an APIResourceList for the kind itself; the list also has entries for subresources.
const Json* find_resource(const Json& list, const std::string& kind, std::vector<std::string>& others) {
  for (const Json& resource : array_at(list, {"resources"})) {
    if (api::entry_name(resource).find('/') != std::string::npos) continue;
    others.push_back(api::kind_name(resource));
    if (others.back() == kind) return &resource;
  }
  return nullptr;
}

}  // namespace

const api::ResourceKind& Client::kind_of(const Json& object) {
  const std::string api_version = api::api_version_of(object), kind = api::kind_name(object);
  const api::ResourceKind* known = api::find_kind(api_version, kind);
  if (known && (api::is_known(*known) || served_.contains(known))) return *known;
  for (const api::ResourceKind& found : discovered_)
    if (found.kind == kind && found.api_version() == api_version) return found;
  if (api_version.empty() || kind.empty())
    throw usage_error("the object is not a Kubernetes manifest", "it has no apiVersion or no kind",
                      "add both, as in \"apiVersion: batch/v1\" and \"kind: Job\"");

  const std::string unknown = "the server does not know the kind \"" + kind + "\" in " + api_version;
  const std::string fix = "install the operator that provides it, or correct apiVersion and kind";
  Json list;
  try {
    list = send_json({.path = group_path(api_version)}, "cannot list the kinds of " + api_version);
  } catch (const Error& error) {
    if (error.http_status == 404) throw usage_error(unknown, "it does not serve this apiVersion", fix);
    throw;
  }
  if (const Json* resources = find(list, {"resources"}); !resources || !resources->is_array())
    throw unexpected_answer(list, "cannot list the kinds of " + api_version, "a list of kinds");
  std::vector<std::string> others;
  const Json* resource = find_resource(list, kind, others);
  if (!resource) throw usage_error(unknown, "", suggestion(kind, others, fix));
  if (known) {
    served_.insert(known);
    return *known;
  }

  auto keep = [&](std::string text) -> std::string_view { return names_.emplace_back(std::move(text)); };
  const size_t slash = api_version.find('/');
  const bool core = slash == std::string::npos;
  return discovered_.emplace_back(
      api::ResourceKind{.group = keep(core ? "" : api_version.substr(0, slash)),
                        .version = keep(core ? api_version : api_version.substr(slash + 1)),
                        .kind = keep(kind),
                        .plural = keep(api::entry_name(*resource)),
                        .singular = keep(string_at(*resource, {"singularName"}, api::entry_name(*resource))),
                        .short_name = {},
                        .namespaced = bool_at(*resource, {"namespaced"})});
}

}  // namespace kml::kube
