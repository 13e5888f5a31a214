#include "local/http/certificate.h"

#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

#include <ctime>
#include <memory>

#include "kml/base/error.h"
#include "local/http/gnutls.h"

namespace kml::local {

namespace {

// GnuTLS is only loaded when it is needed, so each function is looked up where it is called.
#define GNUTLS(name) KML_FUNCTION(gnutls(), gnutls_##name)

void check(int result) {
  if (result < 0)
    throw Error(ErrorCode::failure, "cannot make a certificate for the embedded server",
                GNUTLS(strerror)(result));
}

struct Key {
  Key() { check(GNUTLS(x509_privkey_init)(&handle)); }
  ~Key() { GNUTLS(x509_privkey_deinit)(handle); }
  gnutls_x509_privkey_t handle = nullptr;
};

struct Certificate {
  Certificate() { check(GNUTLS(x509_crt_init)(&handle)); }
  ~Certificate() { GNUTLS(x509_crt_deinit)(handle); }
  gnutls_x509_crt_t handle = nullptr;
};

template <typename Export, typename Handle>
std::string pem(Export* export_function, Handle handle) {
  std::string text(4096, '\0');
  size_t size = text.size();
  check(export_function(handle, GNUTLS_X509_FMT_PEM, text.data(), &size));
  text.resize(size);
  return text;
}

void set_names(gnutls_x509_crt_t certificate) {
  constexpr char kName[] = "kml local";
  check(GNUTLS(x509_crt_set_dn_by_oid)(certificate, GNUTLS_OID_X520_COMMON_NAME, 0, kName, sizeof kName - 1));
  check(GNUTLS(x509_crt_set_subject_alt_name)(certificate, GNUTLS_SAN_DNSNAME, "localhost", 9,
                                              GNUTLS_FSAN_SET));
  const unsigned char v4[4] = {127, 0, 0, 1};
  const unsigned char v6[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  check(GNUTLS(x509_crt_set_subject_alt_name)(certificate, GNUTLS_SAN_IPADDRESS, v4, sizeof v4,
                                              GNUTLS_FSAN_APPEND));
  check(GNUTLS(x509_crt_set_subject_alt_name)(certificate, GNUTLS_SAN_IPADDRESS, v6, sizeof v6,
                                              GNUTLS_FSAN_APPEND));
}

void set_validity(gnutls_x509_crt_t certificate) {
  constexpr time_t kDay = 24 * 3600;
  const time_t now = std::time(nullptr);
  // valid from yesterday, in case a clock is set back
  check(GNUTLS(x509_crt_set_activation_time)(certificate, now - kDay));
  check(GNUTLS(x509_crt_set_expiration_time)(certificate, now + 3650 * kDay));
}

}  // namespace

Identity new_identity() {
  Key key;
  check(GNUTLS(x509_privkey_generate)(key.handle, GNUTLS_PK_ECDSA,
                                      GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), 0));
  Certificate certificate;
  check(GNUTLS(x509_crt_set_version)(certificate.handle, 3));
  const unsigned char serial[1] = {1};
  check(GNUTLS(x509_crt_set_serial)(certificate.handle, serial, sizeof serial));
  set_names(certificate.handle);
  set_validity(certificate.handle);
  check(GNUTLS(x509_crt_set_key)(certificate.handle, key.handle));
  // The certificate is its own authority, and the kubeconfig file tells clients to trust it.
  check(GNUTLS(x509_crt_set_ca_status)(certificate.handle, 1));
  check(GNUTLS(x509_crt_set_key_usage)(certificate.handle,
                                       GNUTLS_KEY_DIGITAL_SIGNATURE | GNUTLS_KEY_KEY_CERT_SIGN));
  check(GNUTLS(x509_crt_set_key_purpose_oid)(certificate.handle, GNUTLS_KP_TLS_WWW_SERVER, 0));
  check(GNUTLS(x509_crt_sign2)(certificate.handle, certificate.handle, key.handle, GNUTLS_DIG_SHA256, 0));
  return {pem(GNUTLS(x509_privkey_export), key.handle), pem(GNUTLS(x509_crt_export), certificate.handle)};
}

}  // namespace kml::local
