#include "kml/s3/authorities.h"

#include "kml/core/files.h"

namespace kml::s3 {

std::string system_authorities() {
  for (const std::string& file :
       {std::string("/etc/ssl/certs/ca-certificates.crt"), std::string("/etc/pki/tls/certs/ca-bundle.crt"),
        std::string("/etc/ssl/ca-bundle.pem"), std::string("/etc/ssl/cert.pem"),
        environment(kMoreAuthorities)})
    if (auto text = file.empty() ? std::nullopt : read_file_if_exists(file); text && !text->empty())
      return *std::move(text);
  return {};
}

}  // namespace kml::s3
