#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kml/base/clock.h"

namespace kml::http {

/// The validity of an X.509 certificate (RFC 5280 4.1.2.5).
struct CertificateDates {
  Time from, until;
};

/// The dates of the first certificate in a PEM text; empty if they cannot be read.
std::optional<CertificateDates> certificate_dates(std::string_view pem);

/// Why the certificate is not valid at that time: "expired on 2026-11-28T10:00:00Z" or "is not valid before
/// 2026-12-01T00:00:00Z". Empty if it is valid or cannot be read.
std::string certificate_fault(std::string_view pem, Time now);

}  // namespace kml::http
