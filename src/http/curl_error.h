#pragma once

#include <curl/curl.h>

#include <string>
#include <string_view>

#include "kml/core/error.h"

namespace kml::http {

/// Whether a certificate, as PEM, holds the extension subjectAltName (2.5.29.17, RFC 5280 4.2.1.6). Without
/// it libcurl takes the subject's common name for the server's name, as browsers and Go did until 2021.
bool has_alternative_names(std::string_view pem);

/// kml's error for what libcurl reports. `text` is libcurl's own; `verify_result` is OpenSSL's finding about
/// the server's certificate (CURLINFO_SSL_VERIFYRESULT); `server` as in "https://host:port".
Error curl_error(CURLcode code, const std::string& text, long verify_result, const std::string& server);

}  // namespace kml::http
