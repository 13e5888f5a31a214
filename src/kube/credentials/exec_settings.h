#pragma once

#include "kml/http/transport.h"
#include "kube/credentials/exec_plugin.h"
#include "kube/kubeconfig/kubeconfig_files.h"

namespace kml::kube {

/// The exec stanza of a user, with a command that is a path resolved from its kubeconfig's folder. `cluster`
/// is the cluster's stanza, of which `endpoint` holds the rest. Throws usage Error where it is incomplete, or
/// asks for what kml does not know. `owner` as in "user \"ana\"".
ExecSettings exec_settings(const Stanza& user, const std::string& owner, const Stanza& cluster,
                           const http::Endpoint& endpoint);

}  // namespace kml::kube
