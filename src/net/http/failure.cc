#include "net/http/failure.h"

#include <algorithm>
#include <optional>

#include "kml/base/clock.h"
#include "kml/base/files.h"
#include "kml/net/http/advice.h"
#include "net/http/certificate_dates.h"
#include "net/http/curl_error.h"
#include "net/http/served_certificate.h"

namespace kml::http {

namespace {

/// Whether the server, or a proxy with TLS, ended the handshake. A server with TLS 1.3 rejects a client's
/// certificate after the handshake: it sends an alert in place of the response.
bool may_be_refused_certificate(CURLcode code, const std::string& text) {
  switch (code) {
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SSL_CERTPROBLEM: return true;
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR: return text.find("alert") != std::string::npos;
    default: return false;
  }
}

/// Whether the result is OpenSSL's X509_V_ERR_CERT_NOT_YET_VALID or X509_V_ERR_CERT_HAS_EXPIRED.
bool is_about_dates(const Failure& failure) {
  return failure.code == CURLE_PEER_FAILED_VERIFICATION &&
         (failure.verify_result == 9 || failure.verify_result == 10);
}

void name_dates(const Failure& failure, const Route& route, Error& error) {
  const Time now = system_clock().now();
  if (const std::string fault = certificate_fault(served_certificate(route), now); !fault.empty())
    error.why = "the server's certificate " + fault;
  else if (const std::string authority = certificate_fault(failure.authorities, now); !authority.empty()) {
    error.why = "the certificate-authority " + authority;
    error.fix =
        "renew certificate-authority of this cluster in the kubeconfig, or correct this machine's clock";
  }
}

/// The URL without the user and the password.
std::string shown_url(const std::string& url) {
  const size_t begin = url.find("://") + 3;
  const size_t end = std::min(url.find('/', begin), url.size());
  const size_t at = url.substr(0, end).rfind('@');
  return at == std::string::npos ? url.substr(0, end)
                                 : url.substr(0, begin) + url.substr(at + 1, end - at - 1);
}

std::string source_of_proxy(const Route& route) {
  if (!route.endpoint.proxy_url.empty()) return "proxy-url of this cluster in the kubeconfig";
  const char* name = route.tls ? "HTTPS_PROXY" : "HTTP_PROXY";
  if (!environment(name).empty()) return name;
  return route.tls ? "https_proxy" : "http_proxy";
}

void name_proxy(const Failure& failure, const Route& route, Error& error) {
  const std::string proxy = std::string(kProxyMessage) + shown_url(route.proxy),
                    source = source_of_proxy(route);
  const std::string from = " (" + source + ")";
  // As in client-go, NO_PROXY has no effect on proxy-url.
  const std::string or_exempt =
      route.endpoint.proxy_url.empty() ? ", or name the server in NO_PROXY" : ", or remove proxy-url";
  if (failure.proxy_status >= 300 || failure.code == CURLE_PROXY) {
    error.message = proxy + " rejects the connection to " + route.server;
    error.why += from;
    error.fix = failure.proxy_status == 407
                    ? "give the proxy's user and password in " + source
                    : "let the proxy allow this server, correct " + source + or_exempt;
  } else if (failure.code == CURLE_COULDNT_RESOLVE_PROXY || failure.code == CURLE_COULDNT_CONNECT ||
             failure.code == CURLE_OPERATION_TIMEDOUT) {
    error.message = proxy + " does not answer" + from;
    error.fix = "check that the proxy is running, correct " + source + or_exempt;
  } else {
    error.message = proxy + " made no connection to " + route.server + from;
  }
}

}  // namespace

std::optional<Error> refused_certificate(const std::string& client_certificate, const Route& route) {
  const std::string fault = certificate_fault(client_certificate, system_clock().now());
  if (fault.empty()) return {};
  return Error(ErrorCode::auth, route.server + " rejected this user", "the client certificate " + fault,
               "renew client-certificate of this user in the kubeconfig, or correct this machine's clock");
}

Error error_of(const Failure& failure, const Route& route) {
  if (may_be_refused_certificate(failure.code, failure.text))
    if (auto refused = refused_certificate(failure.client_certificate, route)) return *refused;
  Error error = curl_error(failure.code, failure.text, failure.verify_result, route.server);
  if (is_about_dates(failure)) name_dates(failure, route, error);
  if (!route.proxy.empty() && !failure.is_connected && failure.code != CURLE_PEER_FAILED_VERIFICATION)
    name_proxy(failure, route, error);
  return error;
}

}  // namespace kml::http
