#pragma once

#include "kml/base/error.h"
#include "kml/net/s3/client.h"

namespace kml::s3 {

/// The error for an unsuccessful response.
Error fault_of(const Call& call, const http::Response& response, const Settings& settings,
               const Credentials& credentials);

/// The code in the response, e.g. "NoSuchKey". For a response without a body, the code that its status means.
std::string code_of(const http::Response& response);

/// Whether the response rejects the key because it is no longer valid.
bool has_expired(const http::Response& response);

/// Whether the response says that the object does not exist. An unknown bucket or key has the same status.
bool is_gone(const http::Response& response);

}  // namespace kml::s3
