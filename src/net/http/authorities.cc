#include "kml/net/http/authorities.h"

#include <system_error>

namespace kml::http {

std::filesystem::path system_authorities(const std::filesystem::path& root) {
  for (const char* file : {
           "etc/ssl/certs/ca-certificates.crt",                 // Debian, Arch
           "etc/pki/tls/certs/ca-bundle.crt",                   // Fedora
           "etc/ssl/ca-bundle.pem",                             // SUSE
           "etc/pki/tls/cacert.pem",                            // OpenELEC
           "etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // RHEL
           "etc/ssl/cert.pem",                                  // Alpine
       }) {
    std::error_code error;
    if (std::filesystem::exists(root / file, error)) return root / file;
  }
  return {};
}

}  // namespace kml::http
