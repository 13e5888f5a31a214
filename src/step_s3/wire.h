#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace kml::step_s3 {

struct Proxy {
  std::string host, port;
  std::string authorization;  ///< the value of the header Proxy-Authorization; empty if it is not sent
};

struct Peer {
  std::string host, port;  ///< without the brackets of an IPv6 address
  bool tls = false;
  std::string authorities;     ///< the CA certificates to trust, as PEM
  std::optional<Proxy> proxy;  ///< the proxy; with TLS, it only forwards bytes
};

/// A TCP connection, with or without TLS. A connection that is idle for a minute breaks. All functions throw
/// Error (unreachable). The reason in the Error is kNoConnection if kml-step-s3 cannot connect,
/// kConnectionBroke if the connection broke later, and empty if the server's certificate is invalid.
class Wire {
 public:
  virtual ~Wire() = default;
  virtual void write(std::string_view bytes) = 0;
  /// Waits for bytes, and reads at most as many as fit into the buffer. Returns 0 at the end of the stream.
  virtual size_t read(char* buffer, size_t size) = 0;
};

std::unique_ptr<Wire> connect(const Peer& peer);

}  // namespace kml::step_s3
