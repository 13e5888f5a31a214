#pragma once

#include <map>
#include <string>
#include <string_view>

#include "kml/api/quantity.h"
#include "kml/core/error.h"
#include "local/store/store.h"

namespace kml::local {

/// Replaces $(NAME) by the variable's value. An unknown one is left as it is, and $$ stands for $, as in
/// Kubernetes (k8s.io/kubernetes/third_party/forked/golang/expansion).
std::string expand_variables(std::string_view text,
                             const std::map<std::string, std::string, std::less<>>& variables);

using Environment = std::map<std::string, std::string, std::less<>>;

/// What a container gets without asking: the submitter's PATH, HOME, VIRTUAL_ENV and the like (the
/// annotation kml.dev/environment, else this process's own), HOSTNAME, and the GPUs of the pod's slots.
/// `node_gpus` tells whether the node has any to hide from those that asked for none.
Environment base_environment(const Json& pod, int node_gpus);

/// The `envFrom` and `env` of a container, in Kubernetes' order. Throws Error with reason
/// "CreateContainerConfigError" where a secret, a config map or a key is missing.
Environment declared_environment(const Json& pod, const Json& container, const Store& store,
                                 const api::Amounts& allocatable);

/// The missing object's or key's error, as the kubelet words it.
Error config_error(std::string message);

/// The object's entries as bytes: a secret's `data` decoded, a config map's `data` and `binaryData`.
Environment entries_of(const Json& secret_or_config_map);

}  // namespace kml::local
