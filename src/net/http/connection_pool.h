#pragma once

#include <curl/curl.h>

#include <deque>
#include <functional>
#include <memory>
#include <vector>

namespace kml::http {

/// The functions of libcurl that kml uses, named without "curl_".
struct CurlLibrary {
  decltype(curl_easy_init)* easy_init;
  decltype(curl_easy_setopt)* easy_setopt;
  decltype(curl_easy_perform)* easy_perform;
  decltype(curl_easy_getinfo)* easy_getinfo;
  decltype(curl_easy_strerror)* easy_strerror;
  decltype(curl_easy_pause)* easy_pause;
  decltype(curl_easy_send)* easy_send;
  decltype(curl_easy_recv)* easy_recv;
  decltype(curl_easy_cleanup)* easy_cleanup;
  decltype(curl_multi_init)* multi_init;
  decltype(curl_multi_add_handle)* multi_add_handle;
  decltype(curl_multi_remove_handle)* multi_remove_handle;
  decltype(curl_multi_perform)* multi_perform;
  decltype(curl_multi_poll)* multi_poll;
  decltype(curl_multi_fdset)* multi_fdset;
  decltype(curl_multi_info_read)* multi_info_read;
  decltype(curl_multi_strerror)* multi_strerror;
  decltype(curl_multi_cleanup)* multi_cleanup;
  decltype(curl_slist_append)* slist_append;
  decltype(curl_slist_free_all)* slist_free_all;
};

/// Loads libcurl on the first call, because loading it and its libraries takes a few milliseconds.
const CurlLibrary& curl_library();

class Exchange;

/// Owns a libcurl multi handle and decides when exchanges begin on it. Over TLS at most 100 of them share a
/// connection, which is Kubernetes' limit for HTTP/2. If all connections are full, one exchange opens the
/// next connection while the others wait; libcurl itself (7.88) would open one for each. If the server
/// supports only HTTP/1.1, each new connection also lets 100 exchanges begin, so that all begin soon.
class ConnectionPool {
 public:
  explicit ConnectionPool(bool tls);

  /// Begins the exchange now or later. It must be removed before it is destroyed.
  void add(Exchange& exchange);
  void remove(Exchange& exchange);
  /// Begins the waiting exchanges for which there is now room.
  void begin_waiting();

  /// Runs libcurl, and passes on each finished exchange. Throws Error if libcurl fails.
  void perform(const std::function<void(Exchange& finished)>& take);

  /// Adds the events for which to call perform(), so that the caller can wait for those of several pools.
  void add_wanted(std::vector<curl_waitfd>& wanted) const;

  CURLM* multi() const { return multi_.get(); }
  void socket_opened() { ++sockets_; }
  void socket_closed() { --sockets_; }

 private:
  bool has_room() const;
  void begin(Exchange& exchange);

  const CurlLibrary& curl_ = curl_library();
  bool tls_;
  size_t sockets_ = 0;
  size_t begun_ = 0;             ///< exchanges on the multi handle with shared connections
  size_t own_ = 0;               ///< those with their own connection
  Exchange* pioneer_ = nullptr;  ///< those with their own connection
  std::deque<Exchange*> waiting_;
  std::unique_ptr<CURLM, decltype(curl_.multi_cleanup)> multi_;  ///< last: its destructor closes sockets
};

}  // namespace kml::http
