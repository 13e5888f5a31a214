#pragma once

#include <string>

#include "kml/core/error.h"
#include "kml/http/transport.h"

namespace kml::kube {

/// The error that an answer other than 2xx stands for. `tried` as in "cannot get job \"bert\"".
Error response_error(const std::string& tried, const http::Response& response);

}  // namespace kml::kube
