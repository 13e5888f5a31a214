#include "step_s3/pod_transport.h"

#include <algorithm>
#include <charconv>
#include <optional>

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
    const bool was_open = wire_ != nullptr;
    try {
      return exchange(request);
    } catch (const Error& error) {
      drop();
      if (!was_open || error.reason != http::kConnectionBroke || has_begun_) throw;
    }
    try {  // the server has closed the idle connection
      return exchange(request);
    } catch (const Error&) {
      drop();
      throw;
    }
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

  std::unique_ptr<http::Stream> stream(Request, http::StreamHandler) override { throw missing(); }
  std::unique_ptr<http::Connection> upgrade(Request, http::ConnectionHandler) override { throw missing(); }
  std::unique_ptr<http::Timer> after(std::chrono::milliseconds, std::function<void()>) override {
    throw missing();
  }
  http::SteadyTime now() const override { return std::chrono::steady_clock::now(); }
  void wait(std::chrono::milliseconds, std::span<const int>) override { throw missing(); }

 private:
  static Error missing() { return Error(ErrorCode::failure, "a pod's transport has no streams"); }

  void drop() {
    wire_.reset();
    buffer_.clear();
  }

  Response exchange(const Request& request) {
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
    for (const auto& [name, value] : http::headers_of(route_, request)) head += name + ": " + value + "\r\n";
    if (!request.body.empty() || request.method == "PUT" || request.method == "POST")
      head += "Content-Length: " + std::to_string(request.body.size()) + "\r\n";
    wire_->write(head + "\r\n");
    wire_->write(request.body);
    Response response = read_head();
    read_body(request, response);
    if (lower(response.header("connection")) == "close") drop();
    return response;
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

  void read_body(const Request& request, Response& response) {
    if (request.method == "HEAD" || response.status == 204 || response.status == 304) return;
    const std::string length = response.header("content-length");
    if (lower(response.header("transfer-encoding")) == "chunked") {
      read_chunks(response);
    } else if (!length.empty()) {
      take(number_in(length, 10), response.body);
    } else {
      while (fill()) check_size(buffer_.size());
      response.body = std::exchange(buffer_, {});
      drop();
    }
  }

  void read_chunks(Response& response) {
    for (;;) {
      const std::string line = read_line();
      const size_t size = number_in(line.substr(0, line.find(';')), 16);
      take(size, response.body);
      if (size > 0 && !read_line().empty()) throw damaged(route_);
      if (size > 0) continue;
      while (!read_line().empty()) {
      }
      return;
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

  /// Appends `bytes` bytes of the stream to `to`.
  void take(size_t bytes, std::string& to) {
    check_size(bytes);
    check_size(to.size() + bytes);
    for (;;) {
      const size_t ready = std::min(bytes, buffer_.size());
      to.append(buffer_, 0, ready);
      buffer_.erase(0, ready);
      bytes -= ready;
      if (bytes == 0) return;
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
    static char piece[size_t{256} << 10];
    const size_t got = wire_->read(piece, sizeof piece);
    buffer_.append(piece, got);
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
  std::string buffer_;  ///< bytes received, but not read yet
  /// how many bytes of lines the current response has, including the lines of chunks
  size_t head_bytes_ = 0;
  bool has_begun_ = false;  ///< whether any part of the current response has arrived
};

}  // namespace

std::unique_ptr<http::Transport> make_pod_transport(http::Endpoint endpoint) {
  return std::make_unique<PodTransport>(http::make_route(std::move(endpoint)));
}

}  // namespace kml::step_s3
