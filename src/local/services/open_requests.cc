#include "local/services/open_requests.h"

#include <algorithm>
#include <cstdlib>

namespace kml::local {

namespace {

constexpr std::string_view kHttp2Preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// Bounds the memory for a client that sends requests and reads no responses.
constexpr size_t kMostUnanswered = 10'000;

bool is_http1(std::string_view version) {
  return version == "HTTP/1.1" || version == "HTTP/1.0";
}

HttpMessages::Body body_of(const HttpMessages::Head& head, HttpMessages::Body otherwise) {
  using Body = HttpMessages::Body;
  if (head.has_encoding) return head.is_chunked ? Body::by_chunks : Body::with_connection;
  return head.has_length ? Body::by_length : otherwise;
}

}  // namespace

OpenRequests::OpenRequests()
    : requests_({[this](const HttpMessages::Head& head) { return on_request(head); }, [] {}}),
      responses_({[this](const HttpMessages::Head& head) { return on_response(head); },
                  [this] { on_response_end(); }}) {}

void OpenRequests::from_client(std::string_view bytes) {
  while (protocol_ == Protocol::unknown && !bytes.empty()) {
    if (bytes[0] == kHttp2Preface[preface_]) {
      bytes.remove_prefix(1);
      if (++preface_ == kHttp2Preface.size()) protocol_ = Protocol::http2;
    } else {
      protocol_ = Protocol::http1;
      requests_.take(kHttp2Preface.substr(0, preface_));
    }
  }
  if (protocol_ == Protocol::http1) requests_.take(bytes);
  if (protocol_ == Protocol::http2) streams_.from_client(bytes);
}

void OpenRequests::from_server(std::string_view bytes) {
  if (protocol_ == Protocol::unknown) protocol_ = Protocol::other;  // in HTTP, the client begins
  if (protocol_ == Protocol::http1) responses_.take(bytes);
  if (protocol_ == Protocol::http2) streams_.from_server(bytes);
}

bool OpenRequests::any() const {
  switch (protocol_) {
    case Protocol::unknown: return preface_ > 0;
    case Protocol::http1: return !unanswered_.empty() || requests_.is_inside() || responses_.is_inside();
    case Protocol::http2: return streams_.any();
    case Protocol::other: break;
  }
  return true;
}

HttpMessages::Body OpenRequests::give_up() {
  protocol_ = Protocol::other;
  return HttpMessages::Body::with_connection;
}

HttpMessages::Body OpenRequests::on_request(const HttpMessages::Head& head) {
  const std::string_view line = head.first_line;
  const size_t method = line.find(' '), version = line.rfind(' ');
  if (method == version || !is_http1(line.substr(version + 1)) || unanswered_.size() >= kMostUnanswered)
    return give_up();
  const std::string_view name = line.substr(0, method);
  unanswered_.push_back(name == "HEAD" ? Method::head : name == "CONNECT" ? Method::connect : Method::other);
  return body_of(head, HttpMessages::Body::none);
}

HttpMessages::Body OpenRequests::on_response(const HttpMessages::Head& head) {
  const size_t space = std::min(head.first_line.find(' '), head.first_line.size());
  if (!is_http1(head.first_line.substr(0, space))) return give_up();
  const int status = std::atoi(head.first_line.c_str() + space);
  const Method method = unanswered_.empty() ? Method::other : unanswered_.front();
  const bool is_tunnel = status == 101 || (method == Method::connect && status >= 200 && status < 300);
  if (is_tunnel) return give_up();
  is_interim_ = status < 200;
  const bool has_body = !is_interim_ && method != Method::head && status != 204 && status != 304;
  return has_body ? body_of(head, HttpMessages::Body::with_connection) : HttpMessages::Body::none;
}

void OpenRequests::on_response_end() {
  if (!is_interim_ && !unanswered_.empty()) unanswered_.pop_front();
}

}  // namespace kml::local
