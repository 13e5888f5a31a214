#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace kml::step_s3 {

struct Proxy {
  std::string host, port;
  std::string authorization;  ///< the header Proxy-Authorization; empty for none
};

struct Peer {
  std::string host, port;  ///< an IPv6 address without its brackets
  bool tls = false;
  std::string authorities;     ///< PEM: CA certificates to trust
  std::optional<Proxy> proxy;  ///< with TLS, it only forwards bytes
};

/// A connection over TCP, with or without TLS. An idle connection breaks after a minute.
///
/// All functions throw Error (unreachable): reason kNoConnection if kml-step-s3 cannot connect,
/// kConnectionBroke if the connection broke later, no reason if the server's certificate is not valid.
class Wire {
 public:
  virtual ~Wire() = default;
  virtual void write(std::string_view bytes) = 0;
  /// Waits for bytes, up to the buffer's size. Returns 0 at the end of the stream.
  virtual size_t read(char* buffer, size_t size) = 0;
};

std::unique_ptr<Wire> connect(const Peer& peer);

}  // namespace kml::step_s3
