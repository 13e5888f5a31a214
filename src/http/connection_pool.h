#pragma once

#include <deque>
#include <memory>

#include "http/curl_library.h"

namespace kml::http {

class Exchange;

/// A multi handle of libcurl, and when exchanges begin on it. Over TLS at most 100 share a connection, as
/// Kubernetes allows over HTTP/2. Where all connections are full, one exchange goes ahead and opens the next,
/// and the others wait for that: libcurl by itself (7.88) would open one for each of them. Where the server
/// only has HTTP/1.1, each connection that is opened makes room for 100, so that all begin soon.
class ConnectionPool {
 public:
  explicit ConnectionPool(bool tls);

  /// Begins it now or later. It must be removed before it dies.
  void add(Exchange& exchange);
  void remove(Exchange& exchange);
  /// Begins those for which there is room by now.
  void begin_waiting();

  CURLM* multi() const { return multi_.get(); }
  void socket_opened() { ++sockets_; }
  void socket_closed() { --sockets_; }

 private:
  bool has_room() const;
  void begin(Exchange& exchange);

  const CurlLibrary& curl_ = curl_library();
  bool tls_;
  size_t sockets_ = 0;
  size_t begun_ = 0;             ///< exchanges on the multi handle that share connections
  size_t own_ = 0;               ///< those that share none
  Exchange* pioneer_ = nullptr;  ///< its connection is not there yet
  std::deque<Exchange*> waiting_;
  std::unique_ptr<CURLM, decltype(curl_.multi_cleanup)> multi_;  ///< last: closing it closes sockets
};

}  // namespace kml::http
