#pragma once

#include <map>
#include <string>
#include <string_view>

#include "kml/base/error.h"
#include "kml/kube/objects/quantity.h"
#include "local/store/store.h"

namespace kml::local {

/// Replaces $(NAME) with the variable's value. Unknown names stay unchanged, and $$ becomes $, as in
/// Kubernetes (k8s.io/kubernetes/third_party/forked/golang/expansion).
std::string expand_variables(std::string_view text,
                             const std::map<std::string, std::string, std::less<>>& variables);

using Environment = std::map<std::string, std::string, std::less<>>;

/// The environment that every container gets: PATH, HOME, VIRTUAL_ENV and similar variables of the submitter
/// (from the annotation kml.dev/environment, otherwise from this process), HOSTNAME, and the GPUs of the
/// pod's slots. If `node_gpus` is positive, GPUs are hidden from pods that requested none.
Environment base_environment(const Json& pod, int node_gpus);

/// The variables from a container's `envFrom` and `env`, in Kubernetes' order. Throws Error with reason
/// "CreateContainerConfigError" if a secret, a config map or a key is missing.
Environment declared_environment(const Json& pod, const Json& container, const Store& store,
                                 const api::Amounts& allocatable);

/// The error for a missing object or key, with the kubelet's wording.
Error config_error(std::string message);

/// The entries as bytes: a secret's decoded `data`, or a config map's `data` and `binaryData`.
Environment entries_of(const Json& secret_or_config_map);

}  // namespace kml::local
