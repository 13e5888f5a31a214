#pragma once

#include <string>

namespace kml::kube {

/// Throws usage Error if the user's kubectl preferences (kuberc, v1beta1: credentialPluginPolicy and
/// credentialPluginAllowlist) forbid this command as a credential plugin, or cannot be read. The file is the
/// one in KUBERC, otherwise ~/.kube/kuberc if it exists. With KUBERC=off or KUBECTL_KUBERC=false, allows
/// every command.
void check_plugin_policy(const std::string& command);

}  // namespace kml::kube
