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

#include "kml/base/error.h"

namespace kml::http {

using Headers = std::vector<std::pair<std::string, std::string>>;

/// The value of Error::reason if an open connection broke before the response was complete. The server may
/// have executed the request.
inline constexpr std::string_view kConnectionBroke = "ConnectionBroke";
/// The value of Error::reason if kml could not connect. The server has not received the request.
inline constexpr std::string_view kNoConnection = "NoConnection";

struct Request {
  std::string method = "GET";
  std::string path = {};  ///< the path and the query, already percent-encoded: "/api/v1/pods?limit=500"
  Headers headers = {};
  std::string body = {};
  /// Limits the time until the response is complete or, for a stream, until its headers have arrived. 0 means
  /// no limit.
  std::chrono::milliseconds timeout{60'000};
  /// Sends the request over an HTTP/1.1 connection that no other request uses. A stream that is not read for
  /// a while then cannot block other requests.
  bool own_connection = false;
};

struct Response {
  int status = 0;
  std::multimap<std::string, std::string> headers;  ///< the keys are names in lower case
  std::string body;

  /// The value of the first header with that name, which must be in lower case; empty if it is missing.
  std::string header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? std::string() : found->second;
  }
  /// Whether the body is HTML. Neither Kubernetes nor S3 sends HTML, so the response comes from a login page,
  /// or from a server of another kind.
  bool is_web_page() const { return header("content-type").starts_with("text/html"); }
};

/// Callbacks of a stream. All run inside Transport::wait, on its thread. They may call all functions of the
/// transport except wait(), and may destroy the stream.
struct StreamHandler {
  /// Called when the status line and headers have arrived. The body follows if the status is 2xx.
  std::function<void(const Response&)> on_headers = {};
  /// Receives a piece of the body. Pieces may end anywhere. Return false to close the stream; no callback is
  /// called after that.
  std::function<bool(std::string_view)> on_data;
  /// The last callback. `broken` is nullptr if the stream ended properly. If the status is not 2xx,
  /// `response.body` has up to 64 KiB of the body.
  std::function<void(const Response& response, const Error* broken)> on_end;
};

/// Destroying the object closes the stream; no callback is called after that.
class Stream {
 public:
  virtual ~Stream() = default;
  /// While the stream is paused, no callback runs, and kml soon reads nothing more, so the server must stop
  /// sending.
  virtual void pause(bool on) = 0;
};

/// Callbacks of a connection that switches from HTTP to another protocol (RFC 9110, 15.2.2). The rules of
/// StreamHandler's callbacks apply.
struct ConnectionHandler {
  /// Called when the server has responded with 101. From then on, both sides can send bytes.
  std::function<void(const Response&)> on_open = {};
  /// Receives bytes from the server. Pieces may end anywhere. Return false to close the connection; no
  /// callback is called after that.
  std::function<bool(std::string_view)> on_data;
  /// The last callback. `broken` is nullptr if the connection ended properly. If the status is not 101,
  /// `response.body` has up to 64 KiB of the body.
  std::function<void(const Response& response, const Error* broken)> on_end;
};

/// Destroying the object closes the connection; no callback is called after that.
class Connection {
 public:
  virtual ~Connection() = default;
  /// Queues bytes to send to the server. Sends nothing before on_open.
  virtual void send(std::string_view bytes) = 0;
  /// The number of bytes that are still queued.
  virtual size_t unsent() const = 0;
  /// While the connection is paused, kml reads nothing from it, so the server must soon stop sending.
  virtual void pause(bool on) = 0;
};

/// Destroying the object cancels the call.
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
  /// no response arrives, and Error (auth) if the server rejects a client certificate that is not valid now.
  /// Does not follow redirects. If the server has closed the connection since the last request, sends the
  /// request again over a new one.
  virtual Response send(const Request& request) = 0;

  /// Sends many requests, several at a time over a few connections. Calls `on_answer` for each one that
  /// completes, with the request's index and its response or error.
  virtual void send_all(
      std::span<const Request> requests,
      std::function<void(size_t index, const Response* response, const Error* error)> on_answer) = 0;

  /// Opens a stream, e.g. a watch or a followed log.
  virtual std::unique_ptr<Stream> stream(Request request, StreamHandler handler) = 0;

  /// Opens a connection for another protocol. The request must be a GET with the headers Connection and
  /// Upgrade. Throws Error (unreachable) if it cannot connect. Request::timeout limits the time until the
  /// response.
  virtual std::unique_ptr<Connection> upgrade(Request request, ConnectionHandler handler) = 0;

  /// Begins to connect for the next upgrade(), so that its handshakes run at the same time as other requests.
  /// If this fails, upgrade() connects itself.
  virtual void connect_ahead() {}

  /// Calls the function once, inside wait(), after `delay`.
  virtual std::unique_ptr<Timer> after(std::chrono::milliseconds delay, std::function<void()> call) = 0;
  virtual SteadyTime now() const = 0;

  /// Runs the open streams and timers. Returns when one of them has made progress, after `timeout`, or when
  /// one of `wake_fds` (a signalfd, a terminal) is readable. May return early.
  virtual void wait(std::chrono::milliseconds timeout, std::span<const int> wake_fds = {}) = 0;
};

/// A certificate and its key. Both are PEM, or both are empty.
struct ClientCertificate {
  std::string certificate_pem, key_pem;
};

/// The server, and how to connect to it. An empty string means that a value is not set.
struct Endpoint {
  /// "https://host:port", with an optional path, or "unix:/file" for a local socket
  std::string url;
  std::string ca_pem = {};           ///< CA certificates to trust instead of the system's
  std::string client_cert_pem = {};  ///< needs client_key_pem
  std::string client_key_pem = {};
  std::string tls_server_name = {};  ///< the name to expect in the certificate, if it is not the host's
  bool is_unverified = false;        ///< accept any certificate
  /// a URL with http, https or socks5; if empty, HTTPS_PROXY or HTTP_PROXY, and NO_PROXY, apply
  std::string proxy_url = {};
  Headers headers = {};  ///< headers to send with each request
  /// whether requests must not ask for gzip; requests to local servers and for streams never ask for it
  bool disable_compression = false;
  /// Called before each request. Returns the Authorization header, or an empty text. The header is never sent
  /// over unencrypted TCP.
  std::function<std::string()> authorization = {};
  /// Called before each https request; the result replaces client_cert_pem and client_key_pem.
  std::function<ClientCertificate()> client_certificate = {};
  /// Called before each https request; the result replaces ca_pem.
  std::function<std::string()> authorities = {};
  /// Called after a response with status 401, to drop a cached credential.
  std::function<void()> on_unauthorized = {};
  /// Called when kml could not connect; it may start the server. send() and upgrade() then try once more. May
  /// throw.
  std::function<void()> on_no_connection = {};
  /// Called for each warning of the server (a Warning header with code 299), once for each text. Also called
  /// if the embedded server does not respond for a while.
  std::function<void(const std::string&)> on_warning = {};
};

/// A transport over libcurl. Throws usage Error for an invalid endpoint, e.g. an unsupported URL scheme.
std::unique_ptr<Transport> make_curl_transport(Endpoint endpoint);

}  // namespace kml::http
