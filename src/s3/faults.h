#pragma once

#include "kml/core/error.h"
#include "kml/s3/client.h"

namespace kml::s3 {

/// What an answer means that is not a success.
Error fault_of(const Call& call, const http::Response& response, const Settings& settings,
               const Credentials& credentials);

/// The code in it, "NoSuchKey"; of an answer without a body what its status stands for.
std::string code_of(const http::Response& response);

/// Whether it says that there is no such object; a bucket or a key that is not known has the same status.
bool is_gone(const http::Response& response);

}  // namespace kml::s3
