#pragma once

#include <string>
#include <string_view>

#include "kml/base/error.h"

namespace kml::http {

/// The `reason` of an Error if the server's certificate was rejected.
inline constexpr std::string_view kCertificateRejected = "CertificateRejected";
/// The start of the `message` of an Error that is caused by a proxy. The Error names the setting that chose
/// the proxy.
inline constexpr std::string_view kProxyMessage = "the proxy ";

/// What to change if kml cannot reach a server other than a cluster's API server.
struct Advice {
  std::string certificate;  ///< the advice if the server's certificate was rejected
  std::string other;
};

/// An Error of a Transport with this advice, because the transport's own advice is about kubeconfigs. An
/// Error of a proxy keeps its own advice.
inline Error with_advice(Error error, const Advice& advice) {
  if (!error.message.starts_with(kProxyMessage))
    error.fix = error.reason == kCertificateRejected ? advice.certificate : advice.other;
  return error;
}

}  // namespace kml::http
