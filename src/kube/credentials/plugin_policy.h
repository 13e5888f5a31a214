#pragma once

#include <string>

namespace kml::kube {

/// Throws Error (usage) where the user's kubectl preferences (kuberc, v1beta1: credentialPluginPolicy and
/// credentialPluginAllowlist) do not let this command be run for credentials, or cannot be read. The file is
/// the one in KUBERC ("off" for none), else ~/.kube/kuberc if it is there.
void check_plugin_policy(const std::string& command);

}  // namespace kml::kube
