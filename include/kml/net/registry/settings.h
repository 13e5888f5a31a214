#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "kml/net/http/transport.h"

namespace kml::registry {

/// How a user logs in to a registry. All members are empty for an anonymous user.
struct Credentials {
  std::string user = {}, password = {};
  std::string identity_token = {};  ///< an OAuth 2 refresh token, in place of a password
  std::string access_token = {};    ///< a finished token, which is sent as it is

  bool are_any() const { return !user.empty() || !identity_token.empty() || !access_token.empty(); }
};

/// Finds the user's credentials for a registry, such as "docker.io" or "registry.example:5000".
using CredentialsFor = std::function<Credentials(const std::string& host)>;
using MakeTransport = std::function<std::unique_ptr<http::Transport>(http::Endpoint)>;

struct Settings {
  CredentialsFor credentials;
  /// Whether any registry may be used without TLS. A registry on this machine may always be used without TLS.
  bool is_insecure = false;
  MakeTransport make_transport = http::make_curl_transport;
  std::function<void(std::chrono::milliseconds)> pause;  ///< called between two attempts
};

}  // namespace kml::registry
