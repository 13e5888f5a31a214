#pragma once

#include <map>
#include <string>
#include <string_view>

#include "kml/base/error.h"
#include "kml/kube/objects/quantity.h"
#include "local/store/store.h"

namespace kml::local {

/// Replaces $(NAME) by the variable's value. Unknown names are left unchanged, and $$ becomes $, as in
/// Kubernetes (k8s.io/kubernetes/third_party/forked/golang/expansion).
std::string expand_variables(std::string_view text,
                             const std::map<std::string, std::string, std::less<>>& variables);

using Environment = std::map<std::string, std::string, std::less<>>;

/// The environment that every container gets: HOSTNAME, the GPUs in the pod's slots, and variables such as
/// PATH, HOME and VIRTUAL_ENV. The annotation kml.dev/environment has their values in the user's shell;
/// without it, they have the values of this process. If `node_gpus` is positive, hides the GPUs from pods
/// that requested none.
Environment base_environment(const Json& pod, int node_gpus);

/// The variables from a container's `envFrom` and `env`, in the order that Kubernetes uses. Throws Error with
/// reason "CreateContainerConfigError" if a secret, a config map or a key is missing.
Environment declared_environment(const Json& pod, const Json& container, const Store& store,
                                 const api::Amounts& allocatable);

/// The Error, with the reason "CreateContainerConfigError", for a pod that cannot be started as it is
/// configured, for example because an object or a key is missing.
Error config_error(std::string message);

/// The decoded entries: a secret's `data`, or a config map's `data` and `binaryData`.
Environment entries_of(const Json& secret_or_config_map);

}  // namespace kml::local
