#include "http/certificate.h"

#include <string>

#include "kml/core/text.h"

namespace kml::http {

bool has_alternative_names(std::string_view pem) {
  constexpr std::string_view kIdentifier("\x06\x03\x55\x1D\x11", 5);  // DER of the OBJECT IDENTIFIER
  std::string base64;
  for (const std::string& line : split(pem, '\n'))
    if (!line.starts_with("-----")) base64 += trim(line);
  const auto der = base64_decoded(base64);
  return der && der->find(kIdentifier) != std::string::npos;
}

}  // namespace kml::http
