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

/// Loads libcurl on the first call. Loading it and its libraries takes some milliseconds.
const CurlLibrary& curl_library();

class Exchange;

/// Owns a libcurl multi handle, and decides when exchanges start on it. Over TLS, at most 100 exchanges share
/// a connection: newer Kubernetes servers allow no more. If all connections are full, one exchange opens the
/// next connection while the others wait; libcurl itself (7.88) would open a connection for each of them. If
/// the server only supports HTTP/1.1, each new connection lets 100 more exchanges start, so no exchange waits
/// for long.
class ConnectionPool {
 public:
  explicit ConnectionPool(bool tls);

  /// Starts the exchange now or later. It must be removed before it is destroyed.
  void add(Exchange& exchange);
  void remove(Exchange& exchange);
  /// Starts the waiting exchanges for which there is room now.
  void begin_waiting();

  /// Runs libcurl, and calls `take` for each finished exchange. Throws Error if libcurl fails.
  void perform(const std::function<void(Exchange& finished)>& take);

  /// Adds the events for which perform() must be called, so that the caller can wait for the events of
  /// several pools.
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
  size_t begun_ = 0;             ///< how many exchanges on the multi handle share connections
  size_t own_ = 0;               ///< how many exchanges have their own connection
  Exchange* pioneer_ = nullptr;  ///< the exchange that opens the next connection
  std::deque<Exchange*> waiting_;
  /// last, so that its destructor, which closes sockets, runs first
  std::unique_ptr<CURLM, decltype(curl_.multi_cleanup)> multi_;
};

}  // namespace kml::http
