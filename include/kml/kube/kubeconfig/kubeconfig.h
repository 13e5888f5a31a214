#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "kml/net/http/transport.h"

namespace kml::kube {

/// The API server, namespace and user for a command.
struct Target {
  std::string context;         ///< the name of the context; "in-cluster" for a pod's service account
  std::string namespace_name;  ///< never empty
  std::string user;            ///< the name of the user's entry; may be empty
  http::Endpoint endpoint;
};

struct KubeconfigOptions {
  std::string kubeconfig = {};      ///< the value of --kubeconfig: only this file is read, and it must exist
  std::string context = {};         ///< --context
  std::string namespace_name = {};  ///< --namespace
  /// The folder in which a pod finds the token of its service account.
  std::filesystem::path service_account_folder = "/var/run/secrets/kubernetes.io/serviceaccount";
};

/// The kubeconfig files to read: the file given by the flag; without the flag, the existing files in
/// KUBECONFIG; if that is not set, ~/.kube/config if it exists. Throws usage Error if the flag's file is
/// missing, or if all files in KUBECONFIG are missing.
std::vector<std::filesystem::path> kubeconfig_files(const KubeconfigOptions& options);

/// Merges the files and chooses the context as client-go does: the first file that has an entry with a given
/// name provides the whole entry, the first current-context is used, and relative paths start at the folder
/// of the file that contains them.
///
/// If no kubeconfig exists, or the default one is empty, returns the connection of the pod's service account.
/// Empty if this process is not in a pod with a service account. Throws usage Error if all configured files
/// are empty or one cannot be read or parsed, if the context does not exist (the fix suggests the nearest
/// name), or if credentials contradict each other or have an unsupported type.
std::optional<Target> find_target(const KubeconfigOptions& options);

/// The context and namespace of commands without flags, even if kml cannot connect to that context; without a
/// kubeconfig, those of the pod's service account or, outside a pod, "local" and "default". Empty if the
/// kubeconfig cannot be read or has no valid current context.
struct DefaultPlace {
  std::string context, namespace_name;
};
DefaultPlace default_place(const std::string& kubeconfig);

/// Names of the contexts, the current one first.
std::vector<std::string> context_names(const KubeconfigOptions& options);

/// Names of the contexts whose server has one of these addresses.
std::vector<std::string> contexts_at(const KubeconfigOptions& options,
                                     const std::vector<std::string>& addresses);

/// The addresses of the servers in the text of a kubeconfig; empty if it cannot be parsed.
std::vector<std::string> addresses_in(const std::string& kubeconfig);

}  // namespace kml::kube
