#pragma once

#include <string>

namespace kml::kube {

/// Throws usage Error if the user's kubectl preferences (kuberc, v1beta1: credentialPluginPolicy and
/// credentialPluginAllowlist) forbid this command as a credential plugin, or cannot be read. The file is the
/// one in KUBERC ("off" for none), otherwise ~/.kube/kuberc if it exists.
void check_plugin_policy(const std::string& command);

}  // namespace kml::kube
