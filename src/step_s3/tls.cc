#include "step_s3/tls.h"

#include <arpa/inet.h>
#include <mbedtls/ctr_drbg.h>
#include <mbedtls/entropy.h>
#include <mbedtls/error.h>
#include <mbedtls/net_sockets.h>
#include <mbedtls/ssl.h>
#include <mbedtls/x509_crt.h>
#include <sys/socket.h>

#include <cerrno>
#include <string>

#include "kml/base/text.h"

namespace kml::step_s3 {

namespace {

std::string text_of(int fault) {
  char text[200];
  mbedtls_strerror(fault, text, sizeof text);
  return text;
}

/// The bytes of an IP address; empty if the host is a name.
std::string address_bytes(const std::string& host) {
  char bytes[16];
  if (::inet_pton(AF_INET, host.c_str(), bytes) == 1) return {bytes, 4};
  if (::inet_pton(AF_INET6, host.c_str(), bytes) == 1) return {bytes, 16};
  return {};
}

/// Whether the certificate contains the IP address. mbedTLS 2.28 only compares names, but its list of
/// alternative names includes addresses (RFC 5280, 4.2.1.6).
bool has_address(const mbedtls_x509_crt& certificate, const std::string& bytes) {
  constexpr int kAddress = MBEDTLS_ASN1_CONTEXT_SPECIFIC | 7;
  for (const mbedtls_x509_sequence* name = &certificate.subject_alt_names; name; name = name->next)
    if (name->buf.tag == kAddress &&
        std::string_view(reinterpret_cast<const char*>(name->buf.p), name->buf.len) == bytes)
      return true;
  return false;
}

class TlsWire final : public Wire {
 public:
  TlsWire(Fd socket, const Peer& peer)
      : socket_(std::move(socket)), peer_(peer), server_(peer.host + ":" + peer.port) {
    mbedtls_entropy_init(&entropy_);
    mbedtls_ctr_drbg_init(&random_);
    mbedtls_x509_crt_init(&authorities_);
    mbedtls_ssl_config_init(&config_);
    mbedtls_ssl_init(&ssl_);
  }
  TlsWire(const TlsWire&) = delete;
  TlsWire& operator=(const TlsWire&) = delete;
  ~TlsWire() override {
    mbedtls_ssl_free(&ssl_);
    mbedtls_ssl_config_free(&config_);
    mbedtls_x509_crt_free(&authorities_);
    mbedtls_ctr_drbg_free(&random_);
    mbedtls_entropy_free(&entropy_);
  }

  void begin() {
    const std::string address = address_bytes(peer_.host);
    const std::string& pem = peer_.authorities;
    require(mbedtls_ctr_drbg_seed(&random_, mbedtls_entropy_func, &entropy_, nullptr, 0));
    // Certificates that mbedTLS cannot parse are skipped, and the result is how many were skipped. The size
    // includes the final zero.
    if (!pem.empty())
      mbedtls_x509_crt_parse(&authorities_, reinterpret_cast<const unsigned char*>(pem.c_str()),
                             pem.size() + 1);
    require(mbedtls_ssl_config_defaults(&config_, MBEDTLS_SSL_IS_CLIENT, MBEDTLS_SSL_TRANSPORT_STREAM,
                                        MBEDTLS_SSL_PRESET_DEFAULT));
    mbedtls_ssl_conf_min_version(&config_, MBEDTLS_SSL_MAJOR_VERSION_3, MBEDTLS_SSL_MINOR_VERSION_3);
    mbedtls_ssl_conf_authmode(&config_, MBEDTLS_SSL_VERIFY_REQUIRED);
    mbedtls_ssl_conf_ca_chain(&config_, &authorities_, nullptr);
    mbedtls_ssl_conf_rng(&config_, mbedtls_ctr_drbg_random, &random_);
    require(mbedtls_ssl_setup(&ssl_, &config_));
    if (address.empty()) require(mbedtls_ssl_set_hostname(&ssl_, peer_.host.c_str()));
    mbedtls_ssl_set_bio(&ssl_, this, send_bytes, receive_bytes, nullptr);
    int fault = 0;
    do fault = mbedtls_ssl_handshake(&ssl_);
    while (fault == MBEDTLS_ERR_SSL_WANT_READ || fault == MBEDTLS_ERR_SSL_WANT_WRITE);
    if (fault == MBEDTLS_ERR_X509_CERT_VERIFY_FAILED || fault == MBEDTLS_ERR_SSL_CA_CHAIN_REQUIRED)
      refuse(fault);
    if (fault != 0) throw connection_broke(server_, text_of(fault));
    const mbedtls_x509_crt* own = mbedtls_ssl_get_peer_cert(&ssl_);
    if (!address.empty() && (!own || !has_address(*own, address)))
      throw Error(ErrorCode::unreachable, "the certificate of " + server_ + " is not valid",
                  "it does not contain the server's address");
  }

  void write(std::string_view bytes) override {
    while (!bytes.empty()) {
      const int sent =
          mbedtls_ssl_write(&ssl_, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
      if (sent == MBEDTLS_ERR_SSL_WANT_READ || sent == MBEDTLS_ERR_SSL_WANT_WRITE) continue;
      if (sent < 0) throw connection_broke(server_, text_of(sent));
      bytes.remove_prefix(static_cast<size_t>(sent));
    }
  }
  size_t read(char* buffer, size_t size) override {
    for (;;) {
      const int got = mbedtls_ssl_read(&ssl_, reinterpret_cast<unsigned char*>(buffer), size);
      if (got == MBEDTLS_ERR_SSL_WANT_READ || got == MBEDTLS_ERR_SSL_WANT_WRITE) continue;
      if (got == MBEDTLS_ERR_SSL_PEER_CLOSE_NOTIFY) return 0;
      if (got < 0) throw connection_broke(server_, text_of(got));
      return static_cast<size_t>(got);
    }
  }

 private:
  void require(int fault) const {
    if (fault != 0) throw Error(ErrorCode::failure, "cannot use TLS for " + server_, text_of(fault));
  }
  [[noreturn]] void refuse(int fault) const {
    char text[400] = "";
    mbedtls_x509_crt_verify_info(text, sizeof text, "", mbedtls_ssl_get_verify_result(&ssl_));
    std::string why(
        trim(fault == MBEDTLS_ERR_SSL_CA_CHAIN_REQUIRED ? "no CA certificates were found" : text));
    for (char& c : why)
      if (c == '\n') c = ' ';
    throw Error(ErrorCode::unreachable, "the certificate of " + server_ + " is not valid", why,
                "where you run kml, set AWS_CA_BUNDLE to a file with the server's CA certificate");
  }
  static int send_bytes(void* self, const unsigned char* bytes, size_t size) {
    const ssize_t sent = ::send(static_cast<TlsWire*>(self)->socket_.get(), bytes, size, MSG_NOSIGNAL);
    if (sent < 0) return errno == EINTR ? MBEDTLS_ERR_SSL_WANT_WRITE : MBEDTLS_ERR_NET_SEND_FAILED;
    return static_cast<int>(sent);
  }
  static int receive_bytes(void* self, unsigned char* bytes, size_t size) {
    const ssize_t got = ::recv(static_cast<TlsWire*>(self)->socket_.get(), bytes, size, 0);
    if (got < 0) return errno == EINTR ? MBEDTLS_ERR_SSL_WANT_READ : MBEDTLS_ERR_NET_RECV_FAILED;
    return static_cast<int>(got);
  }

  const Fd socket_;
  const Peer peer_;
  const std::string server_;
  mbedtls_entropy_context entropy_;
  mbedtls_ctr_drbg_context random_;
  mbedtls_x509_crt authorities_;
  mbedtls_ssl_config config_;
  mbedtls_ssl_context ssl_;
};

}  // namespace

std::unique_ptr<Wire> start_tls(Fd socket, const Peer& peer) {
  auto wire = std::make_unique<TlsWire>(std::move(socket), peer);
  wire->begin();
  return wire;
}

}  // namespace kml::step_s3
