#include "net/http/curl_error.h"

#include <string>

#include "kml/base/text.h"
#include "kml/net/http/advice.h"
#include "kml/net/http/transport.h"

namespace kml::http {

bool has_alternative_names(std::string_view pem) {
  constexpr std::string_view kIdentifier("\x06\x03\x55\x1D\x11", 5);  // the extension's identifier in DER
  std::string base64;
  for (const std::string& line : split(pem, '\n'))
    if (!line.starts_with("-----")) base64 += trim(line);
  const auto der = base64_decoded(base64);
  return der && der->find(kIdentifier) != std::string::npos;
}

namespace {

/// The fix for a rejected certificate. `verify_result` is one of OpenSSL's X509_V_ERR_…; libcurl leaves it at
/// 1 if the chain is valid but the name does not match.
std::string fix_of_certificate(long verify_result) {
  switch (verify_result) {
    case 1:
      return "set tls-server-name of this cluster in the kubeconfig to a name in the server's certificate";
    case 9: return "check the clocks on this machine and on the server";
    case 10:
      return "renew the server's certificate (`kubeadm certs renew`), or correct the clock on this machine";
    default:
      return "correct certificate-authority of this cluster in the kubeconfig: it did not sign the server's "
             "certificate";
  }
}

/// Used for a local socket, because only the embedded server has one.
constexpr const char* kFixOfLocalServer =
    "`kml local status` shows whether the embedded server responds; `kml local down --force` kills one that "
    "hangs";

std::string fix_of(CURLcode code, long verify_result, bool is_local_socket) {
  if (is_local_socket) return kFixOfLocalServer;
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
      return "check `server` of this cluster in the kubeconfig, and your network";
    case CURLE_COULDNT_RESOLVE_PROXY:
      return "check proxy-url of this cluster in the kubeconfig, or HTTPS_PROXY";
    case CURLE_COULDNT_CONNECT:
      return "check that the server is running and that its port is reachable from this machine";
    case CURLE_OPERATION_TIMEDOUT: return "check your network or VPN, then try again";
    case CURLE_PEER_FAILED_VERIFICATION: return fix_of_certificate(verify_result);
    case CURLE_SSL_CACERT_BADFILE:
      return "check certificate-authority of this cluster in the kubeconfig, and SSL_CERT_FILE";
    case CURLE_SSL_CERTPROBLEM:
      return "check client-certificate and client-key of this user in the kubeconfig; an encrypted key "
             "cannot "
             "be used";
    default: return "try again; if the error persists, check the server";
  }
}

/// Whether the connection broke during the handshake. libcurl reports that like a rejected handshake, and
/// only the text differs (vtls/openssl.c, and cf-socket.c if the socket failed).
bool handshake_broke(const std::string& text) {
  for (const char* sign : {"Send failure:", "Recv failure:", "SSL_connect:", "unexpected eof"})
    if (text.find(sign) != std::string::npos) return true;
  return false;
}

bool broke(CURLcode code, const std::string& text) {
  switch (code) {
    case CURLE_SSL_CONNECT_ERROR: return handshake_broke(text);
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM: return true;
    default: return false;
  }
}

}  // namespace

Error curl_error(CURLcode code, const std::string& text, long verify_result, const std::string& server) {
  Error error(ErrorCode::unreachable, "no response from " + server, text,
              fix_of(code, verify_result, server.starts_with("unix:")));
  if (broke(code, text)) {
    error.message = "the connection to " + server + " broke";
    error.reason = kConnectionBroke;
  }
  if (code == CURLE_COULDNT_CONNECT) error.reason = kNoConnection;
  if (code == CURLE_PEER_FAILED_VERIFICATION) error.reason = kCertificateRejected;
  return error;
}

}  // namespace kml::http
