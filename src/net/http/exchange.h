#pragma once

#include <optional>

#include "net/http/connection_pool.h"
#include "net/http/request_handle.h"
#include "net/http/response_reader.h"
#include "net/http/route.h"

namespace kml::http {

/// A request that libcurl is processing, with its response so far. It belongs to its pool for its whole
/// lifetime.
class Exchange {
 public:
  using Body = ResponseBody;

  /// The route must outlive this object.
  Exchange(const Route& route, ConnectionPool& pool, const Request& request, Body body);
  ~Exchange();
  Exchange(const Exchange&) = delete;

  /// Called by the pool: adds this exchange to the multi handle.
  void begin();
  bool begun() const { return begun_; }
  bool has_own_connection() const { return request_.has_own_connection(); }
  /// Whether there is a connection on which all handshakes are done.
  bool connected() const { return request_.is_connected(); }

  /// The exchange to which a finished handle belongs.
  static Exchange& of(CURL* handle);
  /// Called when libcurl has finished with the handle, or when the time for the request has passed.
  void finish(CURLcode result);
  /// When Request::timeout ends; the maximum time if no timeout applies (now). libcurl's own timeout is
  /// not used, because it does not end requests that wait for a connection.
  SteadyTime due() const;
  /// If the time for the request has passed, ends the request with an error.
  void check_due(SteadyTime now);

  bool has_headers() const { return reader_.has_headers(); }
  bool done() const { return done_; }
  bool succeeded() const { return reader_.succeeded(); }
  Response& response() { return reader_.response(); }
  CURL* handle() const { return request_.get(); }
  /// Why the exchange has failed; only set once it is done.
  const std::optional<Error>& error() const { return error_; }

  /// Replaces `data` by the part of a streamed body that arrived since the last call.
  void take_data(std::string& data) { reader_.take_data(data); }

 private:
  static int on_connected(void* self, char*, char*, int, int) noexcept;

  const Route& route_;
  ConnectionPool& pool_;
  const Body body_;
  ResponseReader reader_;  ///< destroyed after the handle, which calls it
  RequestHandle request_;
  SteadyTime due_;
  std::optional<Error> error_;
  bool begun_ = false, done_ = false;
};

}  // namespace kml::http
