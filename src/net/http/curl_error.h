#pragma once

#include <curl/curl.h>

#include <string>
#include <string_view>

#include "kml/base/error.h"

namespace kml::http {

/// Whether a PEM certificate has the extension subjectAltName (2.5.29.17, RFC 5280 4.2.1.6). If it has none,
/// libcurl compares the server's name with the subject's common name, as Go did until 2021.
bool has_alternative_names(std::string_view pem);

/// Turns an error of libcurl into kml's Error. `text` is libcurl's message. `verify_result` is OpenSSL's
/// result for the server's certificate (CURLINFO_SSL_VERIFYRESULT). `server` is like "https://host:port".
Error curl_error(CURLcode code, const std::string& text, long verify_result, const std::string& server);

}  // namespace kml::http
