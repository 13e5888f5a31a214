#pragma once

#include <span>
#include <string>
#include <string_view>

#include "kml/core/json.h"

namespace kml::api {

/// A kind of Kubernetes object and where the API server keeps it.
struct ResourceKind {
  std::string_view group;  ///< empty for the core group
  std::string_view version;
  std::string_view kind;        ///< "Job"
  std::string_view plural;      ///< "jobs"
  std::string_view singular;    ///< "job"
  std::string_view short_name;  ///< "po"; empty if there is none
  bool namespaced;

  /// "batch/v1", or "v1" for the core group.
  std::string api_version() const;

  /// Path of the collection, or of one object where `name` is given, or of its `subresource`:
  /// "/apis/batch/v1/namespaces/research/jobs/bert/status". An empty namespace means all of them.
  std::string path(std::string_view namespace_name, std::string_view name = {},
                   std::string_view subresource = {}) const;
};

/// The kinds that kml knows without asking the server.
std::span<const ResourceKind> known_kinds();

/// By `apiVersion` and `kind`, as an object names itself; nullptr if kml does not know it.
const ResourceKind* find_kind(std::string_view api_version, std::string_view kind);
const ResourceKind* kind_of(const Json& object);
/// Makes it say that it is of that kind.
inline void set_kind(Json& object, const ResourceKind& kind) {
  object.update({{"apiVersion", kind.api_version()}, {"kind", kind.kind}});
}

/// By what a person types: "jobs", "job", "po", "pytorchjobs.kubeflow.org".
const ResourceKind* find_kind_by_word(std::string_view word);

/// By the parts of a URL path.
const ResourceKind* find_kind_by_plural(std::string_view group, std::string_view version,
                                        std::string_view plural);

/// Percent-encodes what must not stand in one segment of a path or in a query value.
std::string url_encoded(std::string_view text);

}  // namespace kml::api
