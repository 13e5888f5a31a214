#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kml/core/error.h"

namespace kml::http {

using Headers = std::vector<std::pair<std::string, std::string>>;

/// Error::reason if an open connection broke before the response was complete. The server may have acted.
inline constexpr std::string_view kConnectionBroke = "ConnectionBroke";
/// Error::reason if kml could not connect. The server has not seen the request.
inline constexpr std::string_view kNoConnection = "NoConnection";

struct Request {
  std::string method = "GET";
  std::string path = {};  ///< with the query, already percent-encoded: "/api/v1/pods?limit=500"
  Headers headers = {};
  std::string body = {};
  /// Limits the time until the response is complete, or a stream's headers are. 0 means no limit.
  std::chrono::milliseconds timeout{60'000};
  /// Uses its own HTTP/1.1 connection, so that an unread stream blocks only itself.
  bool own_connection = false;
};

struct Response {
  int status = 0;
  std::multimap<std::string, std::string> headers;  ///< names in lower case
  std::string body;

  /// The value of the first header of that name, in lower case; empty without one.
  std::string header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? std::string() : found->second;
  }
};

/// Callbacks of a stream. All run inside Transport::wait, on its thread. They may use the transport, except
/// wait, and may destroy the stream.
struct StreamHandler {
  /// The status line and headers have arrived. The body follows if the status is 2xx.
  std::function<void(const Response&)> on_headers = {};
  /// A piece of the body, cut anywhere. Return false to close the stream; no callback follows.
  std::function<bool(std::string_view)> on_data;
  /// The last callback. `broken` is nullptr after a clean end. Only if the status is not 2xx, `response.body`
  /// has the body, up to 64 KiB of it.
  std::function<void(const Response& response, const Error* broken)> on_end;
};

/// Destroying it closes the stream; no callback follows.
class Stream {
 public:
  virtual ~Stream() = default;
  /// While the stream is paused, no callback runs, and the server cannot send more once a few KiB wait.
  virtual void pause(bool on) = 0;
};

/// What a connection tells its owner that is HTTP only until the server switches protocols (RFC
/// 9110, 15.2.2). Callbacks as those of a stream.
struct ConnectionHandler {
  /// The server has answered 101: from here on bytes go both ways.
  std::function<void(const Response&)> on_open = {};
  /// Bytes from the server, in any cut. Return false to close the connection: no callback follows.
  std::function<bool(std::string_view)> on_data;
  /// The last call: nullptr after a clean end, else why it broke. For an answer other than 101
  /// `response.body` is the body of that answer, at most 64 KiB of it.
  std::function<void(const Response& response, const Error* broken)> on_end;
};

/// Destroying it closes the connection; no callback follows.
class Connection {
 public:
  virtual ~Connection() = default;
  /// Queues bytes for the server. Nothing is sent before on_open.
  virtual void send(std::string_view bytes) = 0;
  /// Bytes that are still queued.
  virtual size_t unsent() const = 0;
  /// While it is paused nothing is read, and the server is held back.
  virtual void pause(bool on) = 0;
};

/// Destroying it cancels the call.
class Timer {
 public:
  virtual ~Timer() = default;
};

using SteadyTime = std::chrono::steady_clock::time_point;

/// The HTTP(S) connections to one server, with credentials. Not thread-safe. Must outlive its streams and
/// timers.
class Transport {
 public:
  virtual ~Transport() = default;

  /// Sends one request and waits for the whole response, whatever its status. Throws Error (unreachable) if
  /// none came. Does not follow redirects. If the server had closed the kept connection, sends the request
  /// again on a new one.
  virtual Response send(const Request& request) = 0;

  /// Sends many requests, several at a time over few connections. Calls `on_answer` as responses arrive, with
  /// the request's index and its response or error.
  virtual void send_all(
      std::span<const Request> requests,
      std::function<void(size_t index, const Response* response, const Error* error)> on_answer) = 0;

  /// Opens a stream: a watch, a followed log.
  virtual std::unique_ptr<Stream> stream(Request request, StreamHandler handler) = 0;

  /// Opens a connection of its own, by a GET that asks for another protocol in its headers (Connection,
  /// Upgrade). Throws Error (unreachable) if there is no connection; Request::timeout counts up to the
  /// answer.
  virtual std::unique_ptr<Connection> upgrade(Request request, ConnectionHandler handler) = 0;

  /// Calls once, inside wait, when `delay` has passed.
  virtual std::unique_ptr<Timer> after(std::chrono::milliseconds delay, std::function<void()> call) = 0;
  virtual SteadyTime now() const = 0;

  /// Runs the open streams and timers. Returns when one has made progress, after `timeout`, or when one of
  /// `wake_fds` (a signalfd, a terminal) is readable. May return early.
  virtual void wait(std::chrono::milliseconds timeout, std::span<const int> wake_fds = {}) = 0;
};

/// Both PEM, or both empty.
struct ClientCertificate {
  std::string certificate_pem, key_pem;
};

/// Where and how to connect. An empty string means not given.
struct Endpoint {
  std::string url;          ///< "https://host:port" with an optional path, or "unix:/file", a local socket
  std::string ca_pem = {};  ///< trusted instead of the system's CAs
  std::string client_cert_pem = {};  ///< needs client_key_pem
  std::string client_key_pem = {};
  std::string tls_server_name = {};  ///< the name expected in the certificate, instead of the host
  std::string proxy_url = {};        ///< http, https or socks5; without one, HTTPS_PROXY and NO_PROXY apply
  Headers headers = {};              ///< sent with each request
  bool disable_compression = false;  ///< never request gzip; local servers and streams never use it
  /// Called before each request: returns the Authorization header, or an empty text. Never sent over plain
  /// TCP.
  std::function<std::string()> authorization = {};
  /// Called before each https request. Replaces client_cert_pem and client_key_pem.
  std::function<ClientCertificate()> client_certificate = {};
  /// Called before each https request. Replaces ca_pem.
  std::function<std::string()> authorities = {};
  /// Called after a 401, to drop a cached credential.
  std::function<void()> on_unauthorized = {};
  /// Called when kml could not connect, to start the server; then send() tries once more. May throw.
  std::function<void()> on_no_connection = {};
  /// Called with each of the server's warnings (Warning headers of code 299), once per text.
  std::function<void(const std::string&)> on_warning = {};
};

/// A transport over libcurl. Certificates are always verified. Throws usage Error for an invalid endpoint,
/// e.g. an unsupported URL scheme.
std::unique_ptr<Transport> make_curl_transport(Endpoint endpoint);

}  // namespace kml::http
