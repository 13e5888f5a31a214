#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "kml/base/json.h"
#include "kml/base/yaml.h"
#include "kml/kube/kubeconfig/kubeconfig.h"
#include "kml/kube/objects/field_types.h"

namespace kml::kube {

/// The service account of the pod in which kml runs, as in client-go's rest.InClusterConfig; empty outside a
/// pod.
std::optional<Target> in_cluster_target(const KubeconfigOptions& options);

/// A named entry in the lists of clusters, users or contexts.
struct Stanza {
  Json value;  ///< the value of "cluster", "user" or "context"
  /// the file that contains the stanza; relative paths are relative to that file's folder
  std::filesystem::path file;

  std::string text(std::string_view key, std::string fallback = {}) const {
    return string_at(value, {key}, std::move(fallback));
  }
  bool says(std::string_view key) const { return bool_at(value, {key}); }
  /// The object with that name in the stanza; empty if it is missing.
  const Json& part(std::string_view key) const { return object_at(value, {key}); }
};

/// Makes a path in the stanza absolute.
std::filesystem::path resolved(const Stanza& stanza, const std::string& path);

/// A usage Error that includes the stanza's file. `owner` is like "user \"ana\"".
Error stanza_error(const Stanza& stanza, const std::string& owner, std::string why, std::string fix);

/// The fault with its position in the file.
Problem problem_of(const api::FieldFault& fault, const yaml::Node& text, const std::filesystem::path& file);

using Stanzas = std::map<std::string, Stanza>;

/// The content of all kubeconfig files, merged.
struct Kubeconfig {
  Stanzas clusters, users, contexts;
  std::string current_context;

  bool empty() const { return clusters.empty() && users.empty() && contexts.empty(); }
};

/// Throws usage Error if a file cannot be read or parsed.
Kubeconfig read_kubeconfig(const std::vector<std::filesystem::path>& files);

/// Whether the user chose the files, by a flag or by the environment.
bool names_kubeconfig(const KubeconfigOptions& options);

}  // namespace kml::kube
