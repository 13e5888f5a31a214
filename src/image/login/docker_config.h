#pragma once

#include <string>

#include "kml/net/registry/settings.h"

namespace kml::image {

/// The user's credentials for a registry, from config.json in $DOCKER_CONFIG or ~/.docker: from the helper in
/// its credHelpers or, without one, in its credsStore; then from its auths. A helper, the program
/// docker-credential-NAME, only runs if the user's kubectl preferences allow it, as for the credential
/// plugins of a kubeconfig. Empty if there are no credentials. Throws Error: usage if the file cannot be read
/// or is invalid, auth if a helper fails.
registry::Credentials docker_credentials(const std::string& host);

}  // namespace kml::image
