#pragma once

#include <curl/curl.h>

#include <string>

#include "kml/core/error.h"

namespace kml::http {

/// kml's error for what libcurl reports. `text` is libcurl's own; `verify_result` is OpenSSL's finding about
/// the server's certificate (CURLINFO_SSL_VERIFYRESULT); `server` as in "https://host:port".
Error curl_error(CURLcode code, const std::string& text, long verify_result, const std::string& server);

}  // namespace kml::http
