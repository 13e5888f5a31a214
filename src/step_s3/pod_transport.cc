#include "step_s3/pod_transport.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <optional>
#include <utility>

#include "kml/base/error.h"
#include "kml/base/memory.h"
#include "kml/base/text.h"
#include "kml/net/s3/authorities.h"
#include "net/http/route.h"
#include "step_s3/proxy.h"
#include "step_s3/tls.h"
#include "step_s3/wire.h"

namespace kml::step_s3 {

namespace {

using http::Request;
using http::Response;

/// Enough for a response of kLongestAnswer in chunks of 1 KiB.
constexpr size_t kLongestHead = size_t{1} << 20;

Error damaged(const http::Route& route) {
  Error error(ErrorCode::unreachable, "the response of " + route.server + " is not HTTP/1.1");
  error.reason = http::kConnectionBroke;
  return error;
}

class PodTransport final : public http::Transport {
 public:
  explicit PodTransport(http::Route route) : route_(std::move(route)) {
    if (!route_.proxy.empty()) proxy_ = parse_proxy(route_.proxy);
  }

  Response send(const Request& request) override {
    Response response;
    exchange([&] {
      response = head_for(request);
      const std::string length = response.header("content-length");
      if (!length.empty()) check_size(number_in(length, 10));
      read_body(request, response, [&](std::string_view bytes) {
        check_size(response.body.size() + bytes.size());
        response.body += bytes;
        return true;
      });
    });
    return response;
  }

  void send_all(std::span<const Request> requests,
                std::function<void(size_t, const Response*, const Error*)> on_answer) override {
    for (size_t i = 0; i < requests.size(); ++i) {
      std::optional<Response> response;
      std::optional<Error> fault;
      try {
        response = send(requests[i]);
      } catch (const Error& error) {
        fault = error;
      }
      on_answer(i, response ? &*response : nullptr, fault ? &*fault : nullptr);
    }
  }

  std::unique_ptr<http::Stream> stream(Request request, http::StreamHandler handler) override {
    open_.emplace(std::move(request), std::move(handler));
    return std::make_unique<PodStream>(*this);
  }
  std::unique_ptr<http::Connection> upgrade(Request, http::ConnectionHandler) override { throw missing(); }
  std::unique_ptr<http::Timer> after(std::chrono::milliseconds, std::function<void()>) override {
    throw missing();
  }
  http::SteadyTime now() const override { return std::chrono::steady_clock::now(); }
  /// Reads the whole stream.
  void wait(std::chrono::milliseconds, std::span<const int>) override {
    if (!open_) return;
    const auto [request, handler] = *std::exchange(open_, std::nullopt);
    read_stream(request, handler);
  }

 private:
  /// Takes a piece of a body. Returns false to receive no more.
  using Sink = std::function<bool(std::string_view)>;

  class PodStream final : public http::Stream {
   public:
    explicit PodStream(PodTransport& transport) : transport_(transport) {}
    ~PodStream() override { transport_.open_.reset(); }
    void pause(bool) override { throw missing(); }

   private:
    PodTransport& transport_;
  };

  static Error missing() { return Error(ErrorCode::failure, "a pod's transport cannot do this"); }

  void drop() {
    wire_.reset();
    buffer_.clear();
  }

  /// Runs `once`, and a second time if the server had closed the idle connection.
  void exchange(const std::function<void()>& once) {
    const bool was_open = wire_ != nullptr;
    try {
      return once();
    } catch (const Error& error) {
      drop();
      if (!was_open || error.reason != http::kConnectionBroke || has_begun_) throw;
    }
    try {
      once();
    } catch (const Error&) {
      drop();
      throw;
    }
  }

  void read_stream(const Request& request, const http::StreamHandler& handler) {
    constexpr size_t kMostOfError = size_t{64} << 10;
    Response response;
    bool is_closed = false;
    const auto take = [&](std::string_view bytes) {
      if (response.status / 100 == 2) return handler.on_data(bytes);
      response.body += bytes.substr(0, kMostOfError - response.body.size());
      return true;
    };
    try {
      exchange([&] {
        response = head_for(request);
        if (handler.on_headers) handler.on_headers(response);
        is_closed = !read_body(request, response, take);
      });
    } catch (const Error& error) {
      return handler.on_end(response, &error);
    }
    if (is_closed)
      drop();
    else
      handler.on_end(response, nullptr);
  }

  /// Sends the request, and reads the head of its response.
  Response head_for(const Request& request) {
    has_begun_ = false;
    head_bytes_ = 0;
    if (!wire_) {
      const std::string& pem = route_.endpoint.ca_pem;
      wire_ = connect({route_.host, route_.port, route_.tls,
                       pem.empty() && route_.tls ? s3::system_authorities() : pem, proxy_});
    }
    // whether the proxy receives the request itself; with TLS, it only forwards bytes
    const bool is_forwarded = proxy_ && !route_.tls;
    std::string head = request.method + " " + (is_forwarded ? route_.server : "") + route_.path +
                       request.path + " HTTP/1.1\r\n";
    if (is_forwarded && !proxy_->authorization.empty())
      head += "Proxy-Authorization: " + proxy_->authorization + "\r\n";
    bool has_host = false;
    for (const auto& [name, value] : http::headers_of(route_, request)) {
      head += name + ": " + value + "\r\n";
      has_host = has_host || lower(name) == "host";
    }
    if (!has_host) head += "Host: " + shown_host() + "\r\n";
    if (!request.body.empty() || request.method == "PUT" || request.method == "POST")
      head += "Content-Length: " + std::to_string(request.body.size()) + "\r\n";
    wire_->write(head + "\r\n");
    wire_->write(request.body);
    return read_head();
  }

  /// The host and, unless it is the scheme's usual one, the port.
  std::string shown_host() const {
    const std::string host = route_.host_and_port(), usual = route_.tls ? ":443" : ":80";
    return host.ends_with(usual) ? host.substr(0, host.size() - usual.size()) : host;
  }

  Response read_head() {
    Response response;
    do {
      const std::string status = read_line();
      const size_t space = std::min(status.find(' '), status.size());
      const std::string digits = status.substr(std::min(space + 1, status.size()), 3);
      if (!status.starts_with("HTTP/1.") ||
          std::from_chars(digits.data(), digits.data() + digits.size(), response.status).ec != std::errc())
        throw damaged(route_);
      response.headers.clear();
      for (std::string line = read_line(); !line.empty(); line = read_line()) {
        const size_t colon = std::min(line.find(':'), line.size());
        response.headers.emplace(lower(line.substr(0, colon)),
                                 trim(line.substr(std::min(colon + 1, line.size()))));
      }
    } while (response.status / 100 == 1);
    return response;
  }

  /// Passes the body on. Returns false if `sink` wants no more of it.
  bool read_body(const Request& request, const Response& response, const Sink& sink) {
    if (request.method == "HEAD" || response.status == 204 || response.status == 304) return true;
    const std::string length = response.header("content-length");
    bool is_read = true;
    if (lower(response.header("transfer-encoding")) == "chunked") {
      is_read = read_chunks(sink);
    } else if (!length.empty()) {
      is_read = pass(number_in(length, 10), sink);
    } else {
      do is_read = pass(buffer_.size(), sink);
      while (is_read && fill());
      drop();
    }
    if (lower(response.header("connection")) == "close") drop();
    return is_read;
  }

  bool read_chunks(const Sink& sink) {
    for (;;) {
      const std::string line = read_line();
      const size_t size = number_in(line.substr(0, line.find(';')), 16);
      if (!pass(size, sink)) return false;
      if (size > 0 && !read_line().empty()) throw damaged(route_);
      if (size > 0) continue;
      while (!read_line().empty()) {
      }
      return true;
    }
  }

  size_t number_in(const std::string& text, int base) const {
    size_t number = 0;
    const std::string_view digits = trim(text);
    if (std::from_chars(digits.data(), digits.data() + digits.size(), number, base).ec != std::errc())
      throw damaged(route_);
    return number;
  }

  void check_size(size_t size) const {
    if (size > kLongestAnswer)
      throw too_large("the response of " + route_.server, "it has more than " + size_text(kLongestAnswer));
  }

  /// Passes on the next `bytes` bytes of the connection.
  bool pass(size_t bytes, const Sink& sink) {
    for (;;) {
      const size_t ready = std::min(bytes, buffer_.size());
      if (ready > 0 && !sink(std::string_view(buffer_).substr(0, ready))) return false;
      buffer_.erase(0, ready);
      bytes -= ready;
      if (bytes == 0) return true;
      must_fill();
    }
  }

  std::string read_line() {
    constexpr size_t kLongest = size_t{64} << 10;
    for (;;) {
      const size_t end = buffer_.find("\r\n");
      if (end != std::string::npos) {
        head_bytes_ += end;
        if (head_bytes_ > kLongestHead) throw damaged(route_);
        std::string line = buffer_.substr(0, end);
        buffer_.erase(0, end + 2);
        return line;
      }
      if (buffer_.size() > kLongest) throw damaged(route_);
      must_fill();
    }
  }

  bool fill() {
    const size_t got = wire_->read(piece_.data(), piece_.size());
    buffer_.append(piece_, 0, got);
    has_begun_ = has_begun_ || got > 0;
    return got > 0;
  }
  void must_fill() {
    if (!fill())
      throw connection_broke(route_.server, "the server closed it before its response was complete");
  }

  const http::Route route_;
  std::optional<Proxy> proxy_;
  std::unique_ptr<Wire> wire_;
  std::optional<std::pair<Request, http::StreamHandler>> open_;  ///< the stream for wait()
  std::string piece_ = std::string(size_t{256} << 10, '\0');     ///< the last bytes received
  std::string buffer_;                                           ///< bytes received, but not read yet
  /// how many bytes of lines the current response has, including the lines of chunks
  size_t head_bytes_ = 0;
  bool has_begun_ = false;  ///< whether any part of the current response has arrived
};

}  // namespace

std::unique_ptr<http::Transport> make_pod_transport(http::Endpoint endpoint) {
  return std::make_unique<PodTransport>(http::make_route(std::move(endpoint)));
}

}  // namespace kml::step_s3
