#pragma once

#include <string>

namespace kml::local {

/// A server's private key and certificate in PEM form.
struct Identity {
  std::string key;
  std::string certificate;
};

/// Creates an ECDSA P-256 key and a self-signed certificate for 127.0.0.1, ::1 and localhost, valid for ten
/// years. Clients trust the certificate because the kubeconfig file contains it.
Identity new_identity();

}  // namespace kml::local
