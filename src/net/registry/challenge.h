#pragma once

#include <string>
#include <string_view>

#include "kml/net/http/transport.h"

namespace kml::registry {

/// The kind of login that a registry demands for a request without credentials (RFC 9110, 11.6.1).
struct Challenge {
  enum class Scheme { none, basic, bearer };
  Scheme scheme = Scheme::none;
  std::string realm = {};    ///< for bearer: the URL that gives out tokens
  std::string service = {};  ///< for bearer: the registry's name at that URL
};

/// The challenge in the response's headers; bearer is preferred. `none` if kml supports none of them.
Challenge challenge_of(const http::Response& response);

}  // namespace kml::registry
