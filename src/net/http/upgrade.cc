#include "net/http/upgrade.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "kml/base/memory.h"
#include "kml/base/text.h"
#include "kml/version.h"
#include "net/http/curl_error.h"

namespace kml::http {

namespace {

constexpr size_t kLongestHead = size_t{64} << 10;
constexpr size_t kLongestRefusal = size_t{64} << 10;
constexpr size_t kMostAtOnce = size_t{1} << 20;  ///< after this many bytes, other connections get their turn

Error broke_off(const std::string& server, const std::string& why) {
  Error error(ErrorCode::unreachable, "the connection to " + server + " broke", why);
  error.reason = kConnectionBroke;
  return error;
}

std::string text_of(const Route& route, const Request& request) {
  Headers headers = headers_of(route, request);
  headers.emplace_back("Host", route.socket.empty() ? route.host_and_port() : "localhost");
  headers.emplace_back("User-Agent", "kml/" + std::string(kVersion));
  std::string text = "GET " + route.path + request.path + " HTTP/1.1\r\n";
  for (const auto& [name, value] : headers) {
    check_header(name, value);
    text += name + ": " + value + "\r\n";
  }
  return text + "\r\n";
}

}  // namespace

Upgrade::Upgrade(const Route& route, const Request& request, ConnectionHandler handler,
                 std::unique_ptr<BareConnection> bare)
    : bare_(bare ? std::move(bare) : std::make_unique<BareConnection>(route, request)),
      handler_(std::move(handler)),
      on_unauthorized_(route.endpoint.on_unauthorized),
      server_(route.server),
      due_(request.timeout.count() > 0 ? std::chrono::steady_clock::now() + request.timeout
                                       : SteadyTime::max()) {
  connect();
  queue_ = SendQueue(text_of(route, request));
}

void Upgrade::connect() {
  Exchange& exchange = bare_->exchange;
  while (true) {
    bare_->pool.perform([](Exchange&) {});
    const SteadyTime now = std::chrono::steady_clock::now();
    exchange.check_due(now);
    if (exchange.done()) break;
    const auto wait = std::chrono::ceil<std::chrono::milliseconds>(
        std::min(exchange.due() - now, SteadyTime::duration(std::chrono::seconds(1))));
    curl_.multi_poll(bare_->pool.multi(), nullptr, 0, static_cast<int>(wait.count()), nullptr);
  }
  if (exchange.error()) throw *exchange.error();
}

curl_waitfd Upgrade::wanted() const {
  curl_waitfd wanted{.fd = CURL_SOCKET_BAD, .events = 0, .revents = 0};
  curl_.easy_getinfo(handle(), CURLINFO_ACTIVESOCKET, &wanted.fd);
  if (!is_paused_) wanted.events |= CURL_WAIT_POLLIN;
  if (queue_.has_next(state_ == State::open)) wanted.events |= CURL_WAIT_POLLOUT;
  return wanted;
}

bool Upgrade::progress(SteadyTime now) {
  if (now >= due()) {
    const Error late = broke_off(server_, "it did not respond in time");
    end(state_ == State::asked ? &late : nullptr);
    return true;
  }
  const bool sent = flush();
  return (!is_closed() && !is_paused_ && receive()) || sent;
}

bool Upgrade::flush() {
  bool sent = false;
  while (true) {
    const std::string_view bytes = queue_.next(state_ == State::open);
    if (bytes.empty()) return sent;
    size_t count = 0;
    const CURLcode code = curl_.easy_send(handle(), bytes.data(), bytes.size(), &count);
    if (code == CURLE_AGAIN || (code == CURLE_OK && count == 0)) return sent;
    if (code != CURLE_OK) {
      break_off(code);
      return true;
    }
    queue_.sent(count);
    sent = true;
  }
}

/// Counts the received bytes. Returns whether the memory must be checked, because the owner may keep the
/// data.
bool Upgrade::count_received(size_t more) {
  const size_t before = std::exchange(received_, received_ + more);
  return before / kMostAtOnce != received_ / kMostAtOnce;
}

bool Upgrade::receive() {
  char buffer[32 << 10];
  size_t total = 0;
  while (total < kMostAtOnce && !is_closed() && !is_paused_) {
    size_t count = 0;
    const CURLcode code = curl_.easy_recv(handle(), buffer, sizeof buffer, &count);
    if (code == CURLE_AGAIN) break;
    if (code != CURLE_OK) {
      break_off(code);
      return true;
    }
    if (count == 0) {
      const Error early = broke_off(server_, "it was closed before the response");
      end(state_ == State::asked ? &early : nullptr);
      return true;
    }
    total += count;
    if (count_received(count)) {
      try {
        require_memory("what " + server_ + " sends", kMostAtOnce);
      } catch (const Error& error) {
        end(&error);
        return true;
      }
    }
    take({buffer, count});
  }
  return total > 0;
}

void Upgrade::take(std::string_view bytes) {
  if (state_ == State::open) {
    if (!handler_.on_data(bytes)) close();
    return;
  }
  answer_.append(bytes);
  if (state_ == State::asked) take_answer();
  if (state_ != State::refused) return;
  response_.body += std::exchange(answer_, {});
  const std::string length = response_.header("content-length");
  size_t expected = kLongestRefusal;
  std::from_chars(length.data(), length.data() + length.size(), expected);
  expected = std::min(expected, kLongestRefusal);
  if (response_.body.size() < expected) return;
  response_.body.resize(expected);
  end(nullptr);
}

/// RFC 9112, 2.1.
void Upgrade::take_answer() {
  const size_t head = answer_.find("\r\n\r\n");
  if (head == std::string::npos) {
    const Error odd = broke_off(server_, "its response is not HTTP");
    if (answer_.size() > kLongestHead ||
        !std::string_view("HTTP/1.").starts_with(std::string_view(answer_).substr(0, 7)))
      end(&odd);
    return;
  }
  const std::vector<std::string> lines = split(answer_.substr(0, head), '\n');
  answer_.erase(0, head + 4);
  const size_t space = lines.front().find(' ');
  if (space != std::string::npos)
    std::from_chars(lines.front().data() + space + 1, lines.front().data() + lines.front().size(),
                    response_.status);
  for (const std::string& line : lines)
    if (const size_t colon = line.find(':'); colon != std::string::npos && &line != &lines.front())
      response_.headers.emplace(lower(line.substr(0, colon)), trim(std::string_view(line).substr(colon + 1)));
  state_ = response_.status == 101 ? State::open : State::refused;
  if (state_ != State::open) return;
  if (handler_.on_open) handler_.on_open(response_);
  const std::string rest = std::exchange(answer_, {});
  if (state_ == State::open && !rest.empty()) take(rest);
}

void Upgrade::break_off(CURLcode code) {
  const Error error = broke_off(server_, curl_.easy_strerror(code));
  end(&error);
}

void Upgrade::end(const Error* broken) {
  close();
  if (response_.status == 401 && on_unauthorized_) on_unauthorized_();
  handler_.on_end(response_, broken);
}

}  // namespace kml::http
