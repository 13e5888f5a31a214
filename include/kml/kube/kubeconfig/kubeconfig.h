#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "kml/http/transport.h"

namespace kml::kube {

/// One API server, one namespace, one user: where a command goes to.
struct Target {
  std::string context;         ///< name of the context; "in-cluster" for a pod's own account
  std::string namespace_name;  ///< never empty
  std::string user;            ///< name of the user entry
  http::Endpoint endpoint;
};

struct KubeconfigOptions {
  std::string kubeconfig = {};      ///< --kubeconfig: only that file; missing is an error
  std::string context = {};         ///< --context
  std::string namespace_name = {};  ///< --namespace
  /// Where a pod finds its own account.
  std::filesystem::path service_account_folder = "/var/run/secrets/kubernetes.io/serviceaccount";
};

/// The kubeconfig files that apply: the flag's one, else those of the list in KUBECONFIG that exist, else
/// ~/.kube/config if it is there. Throws usage Error if the flag or KUBECONFIG names none that exists.
std::vector<std::filesystem::path> kubeconfig_files(const KubeconfigOptions& options);

/// Merges the files as client-go does (a whole named stanza of the first file wins; the first current-context
/// wins; relative paths count from the defining file) and picks the context. Without any kubeconfig, or with
/// an empty one in the default place: the in-cluster account where there is one, else nothing. Throws usage
/// Error if a file that is set cannot be read or parsed, the context does not exist (with the nearest
/// right name), or credentials contradict each other or are of a sort that kml cannot use.
std::optional<Target> find_target(const KubeconfigOptions& options);

/// Names of the contexts, the current one first.
std::vector<std::string> context_names(const KubeconfigOptions& options);

}  // namespace kml::kube
