#pragma once

#include <string_view>

namespace kml::http {

/// Whether a certificate, as PEM, holds the extension subjectAltName (2.5.29.17, RFC 5280 4.2.1.6). Without
/// it libcurl takes the subject's common name for the server's name, as browsers and Go did until 2021.
bool has_alternative_names(std::string_view pem);

}  // namespace kml::http
