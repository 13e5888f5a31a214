#pragma once

#include <string>

namespace kml::local {

/// A server's key and certificate, as PEM.
struct Identity {
  std::string key;
  std::string certificate;
};

/// A new ECDSA P-256 key and a certificate signed by itself, for 127.0.0.1, ::1 and localhost, valid for ten
/// years. Clients trust it by name: the kubeconfig file holds it.
Identity new_identity();

}  // namespace kml::local
