#pragma once

#include <span>
#include <string>
#include <string_view>

#include "kml/base/json.h"

namespace kml::api {

/// A kind of Kubernetes object and its place in the API.
struct ResourceKind {
  std::string_view group;  ///< the API group; empty for the core group
  std::string_view version;
  std::string_view kind;        ///< "Job"
  std::string_view plural;      ///< "jobs"
  std::string_view singular;    ///< "job"
  std::string_view short_name;  ///< the short name, such as "po"; empty if the kind has none
  bool namespaced;
  std::string_view pod_label = {};  ///< for a kind that a file describes: the label that its pods have

  /// "batch/v1", or "v1" for the core group.
  std::string api_version() const;

  /// The path of the collection; if `name` is given, of that object; if `subresource` is given, of that
  /// subresource: "/apis/batch/v1/namespaces/research/jobs/bert/status". An empty namespace means all
  /// namespaces.
  std::string path(std::string_view namespace_name, std::string_view name = {},
                   std::string_view subresource = {}) const;
  /// The path of one object. Throws usage Error if `name` is empty: that would be the path of all objects.
  std::string object_path(std::string_view namespace_name, std::string_view name,
                          std::string_view subresource = {}) const;
};

/// The kinds that kml knows without discovery.
std::span<const ResourceKind> known_kinds();
/// Whether the kind is one of known_kinds(), not one of the further kinds.
bool is_known(const ResourceKind& kind);

/// Sets the function that returns further kinds, which files describe. It is called when a kind is not among
/// known_kinds(), and must return the same kinds each time. Call this only at the start of the program.
void set_further_kinds(std::span<const ResourceKind* const> (*further)());
/// Whether the pods of a further kind have this label.
bool is_label_of_further_kind(std::string_view label);

/// Finds a known or further kind by an object's `apiVersion` and `kind`; nullptr if there is none.
const ResourceKind* find_kind(std::string_view api_version, std::string_view kind);
const ResourceKind* kind_of(const Json& object);
/// Finds one of known_kinds(). Call this only for a kind that is among them.
inline const ResourceKind& known_kind(std::string_view api_version, std::string_view kind) {
  return *find_kind(api_version, kind);
}
/// Sets the object's `apiVersion` and `kind`.
inline void set_kind(Json& object, const ResourceKind& kind) {
  object.update({{"apiVersion", kind.api_version()}, {"kind", kind.kind}});
}

/// Finds a kind by a word that users type: "jobs", "job", "po", "pytorchjobs.kubeflow.org".
const ResourceKind* find_kind_by_word(std::string_view word);

/// Finds a known kind by the parts of a URL path.
const ResourceKind* find_kind_by_plural(std::string_view group, std::string_view version,
                                        std::string_view plural);

}  // namespace kml::api
