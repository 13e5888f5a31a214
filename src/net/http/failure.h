#pragma once

#include <curl/curl.h>

#include <optional>
#include <string>

#include "net/http/route.h"

namespace kml::http {

/// A request that failed, and what was known about its connection.
struct Failure {
  CURLcode code = CURLE_OK;
  std::string text;           ///< libcurl's message
  long verify_result = 0;     ///< OpenSSL's result for the server's certificate (CURLINFO_SSL_VERIFYRESULT)
  long proxy_status = 0;      ///< the proxy's answer to CONNECT; 0 if there was none
  bool is_connected = false;  ///< all handshakes were done
  const std::string& client_certificate;  ///< PEM; empty if none was sent
  const std::string& authorities;         ///< PEM; empty for the system's
};

/// kml's error for it. Names a certificate that has expired with its date, and a proxy that does not answer
/// by its URL, without the user and password in it.
Error error_of(const Failure& failure, const Route& route);

/// If the client certificate that a server rejected with 401 is not valid at this time, adds that to the
/// error.
std::optional<Error> refused_certificate(const std::string& client_certificate, const Route& route);

}  // namespace kml::http
