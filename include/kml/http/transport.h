#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kml/core/error.h"

namespace kml::http {

struct Request {
  std::string method = "GET";
  std::string path;  ///< with the query, already percent-encoded: "/api/v1/pods?limit=500"
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  /// Until the whole answer is there; for a stream, until its headers are. 0 waits without limit.
  std::chrono::milliseconds timeout{60'000};
};

struct Response {
  int status = 0;
  std::multimap<std::string, std::string> headers;  ///< names in lower case
  std::string body;
};

/// What a stream tells its owner. All callbacks run inside Transport::wait, on its thread.
struct StreamHandler {
  /// The status line and headers are in; the body follows where the status is 2xx.
  std::function<void(const Response&)> on_headers;
  /// A piece of the body, in any cut. Return false to close the stream.
  std::function<bool(std::string_view)> on_data;
  /// The last call: nullptr after a clean end, else why it broke. For an answer that is no 2xx,
  /// `response.body` is the whole body of that answer.
  std::function<void(const Response& response, const Error* broken)> on_end;
};

/// Destroying it closes the stream; no callback follows.
class Stream {
 public:
  virtual ~Stream() = default;
};

/// One server's HTTP(S), credentials included. Not for several threads at once.
class Transport {
 public:
  virtual ~Transport() = default;

  /// Sends one request and waits for the whole answer, whatever its status. Throws Error (unreachable) where
  /// no answer came. Redirects are not followed.
  virtual Response send(const Request& request) = 0;

  /// Sends many, several at a time over few connections; `on_answer` gets each one's index, and its answer or
  /// the error that stands for it, as they come in.
  virtual void send_all(
      std::span<const Request> requests,
      std::function<void(size_t index, const Response* response, const Error* error)> on_answer) = 0;

  /// Opens a stream: a watch, a followed log.
  virtual std::unique_ptr<Stream> stream(Request request, StreamHandler handler) = 0;

  /// Lets the open streams make progress; returns after some did, or after `timeout`, or when one of
  /// `wake_fds` is readable (a signalfd, a terminal).
  virtual void wait(std::chrono::milliseconds timeout, std::span<const int> wake_fds = {}) = 0;
};

/// Where and how to connect. Empty strings mean: not given.
struct Endpoint {
  std::string url;     ///< "https://host:port" with an optional path, no trailing slash
  std::string ca_pem;  ///< trusted instead of the system's authorities
  std::string client_cert_pem;
  std::string client_key_pem;
  std::string tls_server_name;  ///< checked in the certificate instead of the host
  std::string proxy_url;
  bool verify_tls = true;
  /// Asked before each request: the value of the Authorization header, or empty. Never sent over plain http.
  std::function<std::string()> authorization;
  /// Told of a 401, so that a cached credential can be dropped.
  std::function<void()> on_unauthorized;
};

/// A transport over libcurl.
std::unique_ptr<Transport> make_curl_transport(Endpoint endpoint);

}  // namespace kml::http
