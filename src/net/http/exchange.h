#pragma once

#include <memory>
#include <optional>
#include <string>

#include "net/http/connection_pool.h"
#include "net/http/route.h"

namespace kml::http {

/// Throws Error if the header contains a line break, which would start another header.
void check_header(const std::string& name, const std::string& value);

/// One request that libcurl is processing, and its response so far. It belongs to a pool from its
/// construction to its destruction. libcurl's callbacks only store data in it and never call other code.
class Exchange {
 public:
  /// `none`: complete once connected; the caller then uses the connection for its own bytes.
  enum class Body { whole, streamed, none };

  /// The route must outlive it.
  Exchange(const Route& route, ConnectionPool& pool, const Request& request, Body body);
  ~Exchange();
  Exchange(const Exchange&) = delete;

  /// Called by the pool: adds it to the multi handle.
  void begin();
  bool begun() const { return begun_; }
  bool has_own_connection() const { return own_connection_; }
  /// Whether it has a connection with all handshakes done.
  bool connected() const;

  /// The exchange of a finished handle.
  static Exchange& of(CURL* handle);
  /// Called once, when libcurl has finished with the handle.
  void finish(CURLcode result);
  /// When Request::timeout expires; the maximum time if it no longer applies. Not done by libcurl's own
  /// timeout, which does not end requests that wait for a connection.
  SteadyTime due() const;
  /// If the request's time is over, ends it with an error.
  void check_due(SteadyTime now);

  bool has_headers() const { return has_headers_; }
  bool done() const { return done_; }
  bool succeeded() const { return response_.status / 100 == 2; }
  Response& response() { return response_; }
  CURL* handle() const { return handle_; }
  const std::optional<Error>& error() const { return error_; }

  /// Replaces `data` with the part of a streamed body since the last call.
  void take_data(std::string& data);

 private:
  template <typename Value>
  void set(CURLoption option, Value value);
  void set_blob(CURLoption option, const std::string& bytes);
  void add_header(const std::string& name, const std::string& value);
  void set_request(const Route& route, const Request& request);
  void set_tls(const Route& route);

  static size_t on_header(char* data, size_t size, size_t count, void* self) noexcept;
  static size_t on_body(char* data, size_t size, size_t count, void* self) noexcept;
  static int on_connected(void* self, char*, char*, int, int) noexcept;
  static int on_socket(void* pool, curl_socket_t socket, curlsocktype purpose) noexcept;
  static int on_close(void* pool, curl_socket_t socket) noexcept;
  /// The client certificate that this exchange has sent, as PEM; empty if none.
  const std::string& client_certificate() const;
  void take_header(std::string_view line);
  size_t take_body(std::string_view data);
  /// Calls `take` for libcurl, which ends the exchange if the result is not `size`. Stores Errors.
  template <typename Take>
  size_t taken(size_t size, const Take& take) noexcept;
  size_t take_fault(std::string_view data);
  size_t take_stream(std::string_view data);
  /// Throws Error if a response of that size is too large.
  void check_size(size_t size) const;
  std::string response_name() const { return "the response of " + server_; }

  struct FreeList {
    void operator()(curl_slist* list) const { curl_library().slist_free_all(list); }
  };
  using List = std::unique_ptr<curl_slist, FreeList>;

  const CurlLibrary& curl_ = curl_library();
  ConnectionPool& pool_;
  CURL* handle_;
  List headers_, connect_to_;
  std::string request_body_;
  ClientCertificate certificate_;  ///< from Endpoint::client_certificate
  std::string authorities_;        ///< from Endpoint::authorities
  const Route& route_;
  std::string server_;
  char curl_text_[CURL_ERROR_SIZE] = {};

  const bool own_connection_;
  Body body_;
  SteadyTime due_;
  Response response_;
  std::string data_;
  size_t header_bytes_ = 0, streamed_ = 0;
  std::optional<Error> error_;
  bool is_out_of_memory_ = false;
  bool is_cut_ = false;  ///< the rest of an error's body is not read
  bool begun_ = false;
  bool has_headers_ = false;
  bool paused_ = false;
  bool done_ = false;
};

}  // namespace kml::http
