#pragma once

#include <curl/curl.h>

#include <optional>
#include <string>

#include "net/http/route.h"

namespace kml::http {

/// A failed request, with what is known about its connection.
struct Failure {
  CURLcode code = CURLE_OK;
  std::string text;           ///< libcurl's message
  long verify_result = 0;     ///< OpenSSL's result for the server's certificate (CURLINFO_SSL_VERIFYRESULT)
  long proxy_status = 0;      ///< the proxy's response to CONNECT; 0 if there was none
  bool is_connected = false;  ///< whether all handshakes were done
  const std::string& client_certificate;  ///< the client certificate as PEM; empty if none was sent
  const std::string& authorities;         ///< the trusted CAs as PEM; empty if the system's are used
};

/// kml's Error for the failure. If a certificate has expired, names the certificate and its date. If a proxy
/// does not respond, names its URL without the user and password.
Error error_of(const Failure& failure, const Route& route);

/// An Error for a client certificate that the server rejected, with 401 or in the handshake; empty if the
/// certificate is valid now or cannot be read.
std::optional<Error> refused_certificate(const std::string& client_certificate, const Route& route);

}  // namespace kml::http
