#pragma once

#include "kml/base/error.h"
#include "kml/net/s3/client.h"

namespace kml::s3 {

/// The Error for a response that reports a failure.
Error fault_of(const Call& call, const http::Response& response, const Settings& settings,
               const Credentials& credentials);

/// The code in the response, such as "NoSuchKey". If the response has none, the code for its status.
std::string code_of(const http::Response& response);

/// Whether the response rejects the key because it or its session token is no longer valid. A tool may have
/// renewed them meanwhile.
bool needs_new_key(const http::Response& response);

/// Whether the response says that the object does not exist. The status alone does not show this: an unknown
/// bucket has the same status.
bool is_gone(const http::Response& response);

}  // namespace kml::s3
