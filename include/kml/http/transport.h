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

/// Error::reason where an open connection broke before the answer was complete: the server may have acted.
inline constexpr std::string_view kConnectionBroke = "ConnectionBroke";
/// Error::reason where there was no connection: the server knows nothing of the request.
inline constexpr std::string_view kNoConnection = "NoConnection";

struct Request {
  std::string method = "GET";
  std::string path = {};  ///< with the query, already percent-encoded: "/api/v1/pods?limit=500"
  Headers headers = {};
  std::string body = {};
  /// Until the whole answer is there; for a stream, until its headers are. 0 waits without limit.
  std::chrono::milliseconds timeout{60'000};
  /// Shares no connection with others: HTTP/1.1, so that a stream that is not read holds back only itself.
  bool own_connection = false;
};

struct Response {
  int status = 0;
  std::multimap<std::string, std::string> headers;  ///< names in lower case
  std::string body;
};

/// What a stream tells its owner. All callbacks run inside Transport::wait, on its thread; they may use the
/// transport, except wait itself, and may destroy the stream.
struct StreamHandler {
  /// The status line and headers are in; the body follows where the status is 2xx.
  std::function<void(const Response&)> on_headers = {};
  /// A piece of the body, in any cut. Return false to close the stream: no callback follows.
  std::function<bool(std::string_view)> on_data;
  /// The last call: nullptr after a clean end, else why it broke. For an answer that is not a 2xx,
  /// `response.body` is the body of that answer, at most 64 KiB of it.
  std::function<void(const Response& response, const Error* broken)> on_end;
};

/// Destroying it closes the stream; no callback follows.
class Stream {
 public:
  virtual ~Stream() = default;
  /// While it is paused no callback comes, and the server is held back once a few KiB wait.
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

/// One server's HTTP(S), credentials included. Not for several threads at once. Outlives its streams and
/// timers.
class Transport {
 public:
  virtual ~Transport() = default;

  /// Sends one request and waits for the whole answer, whatever its status. Throws Error (unreachable) if
  /// no answer came. Redirects are not followed. Over a kept connection that the server closed meanwhile the
  /// request is sent again on a new one.
  virtual Response send(const Request& request) = 0;

  /// Sends many, several at a time over few connections; `on_answer` gets each one's index, and its answer or
  /// the error that stands for it, as they come in.
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

  /// Lets the open streams and timers make progress; returns after some did, or after `timeout`, or when one
  /// of `wake_fds` is readable (a signalfd, a terminal). May return early.
  virtual void wait(std::chrono::milliseconds timeout, std::span<const int> wake_fds = {}) = 0;
};

/// Both PEM, or both empty.
struct ClientCertificate {
  std::string certificate_pem, key_pem;
};

/// Where and how to connect. Empty strings mean: not given.
struct Endpoint {
  std::string url;  ///< "https://host:port" with an optional path; "unix:/file" is a socket of this machine
  std::string ca_pem = {};           ///< trusted instead of the system's authorities
  std::string client_cert_pem = {};  ///< needs client_key_pem
  std::string client_key_pem = {};
  std::string tls_server_name = {};  ///< checked in the certificate instead of the host
  std::string proxy_url = {};        ///< http, https or socks5; without one HTTPS_PROXY and NO_PROXY count
  Headers headers = {};              ///< sent with each request
  bool disable_compression = false;  ///< never ask for gzip; it is not asked of this machine, nor for streams
  /// Asked before each request: the value of the Authorization header, or empty. Never sent over plain TCP.
  std::function<std::string()> authorization = {};
  /// Asked before each request over https, in place of client_cert_pem and client_key_pem.
  std::function<ClientCertificate()> client_certificate = {};
  /// Asked before each request over https, in place of ca_pem.
  std::function<std::string()> authorities = {};
  /// Told of a 401, so that a cached credential can be dropped.
  std::function<void()> on_unauthorized = {};
  /// Told that there was no connection, to bring the server up: then send() tries once more. May throw.
  std::function<void()> on_no_connection = {};
  /// Told of what the server warns of (Warning headers of code 299), of each text once.
  std::function<void(const std::string&)> on_warning = {};
};

/// A transport over libcurl. Certificates are always verified. Throws usage Error for an endpoint that cannot
/// be right, e.g. a scheme other than http and https.
std::unique_ptr<Transport> make_curl_transport(Endpoint endpoint);

}  // namespace kml::http
