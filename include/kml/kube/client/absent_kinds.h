#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "kml/kube/objects/resource.h"

namespace kml::kube {

/// Remembers which kinds a server does not have, or the user may not read. Only v1beta1 kinds, and kinds that
/// are not api::is_known(), are remembered; others always count as present. Lists then do not ask for the
/// absent kinds each time. Forgets them after ten minutes, because an operator may have been installed
/// meanwhile.
class AbsentKinds {
 public:
  /// Keeps the absent kinds in the file from now on. A file that cannot be read or written is ignored.
  void keep_in(std::filesystem::path file);
  /// Treats all kinds that can be absent as absent from now on, as for the embedded server.
  void set_all() { is_all_ = true; }

  /// Whether the kind is known to be absent in the namespace; an empty namespace means all namespaces.
  bool has(const api::ResourceKind& kind, std::string_view namespace_name) const;
  /// `http_status` is the server's answer: after a 403, other namespaces may still have the kind.
  void add(const api::ResourceKind& kind, std::string_view namespace_name, int http_status);
  /// Whether the namespace recently had no objects of the kind, such as LimitRanges.
  bool has_no_objects(const api::ResourceKind& kind, std::string_view namespace_name) const;
  void add_no_objects(const api::ResourceKind& kind, std::string_view namespace_name);

  /// Records that the server does have the kind.
  void forget(const api::ResourceKind& kind);

 private:
  void write() const;

  bool is_all_ = false;
  std::filesystem::path file_;
  std::map<std::string, long long> until_;  ///< seconds since 1970, by kind and namespace
};

}  // namespace kml::kube
