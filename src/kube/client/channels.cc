#include "kube/client/channels.h"

#include <algorithm>
#include <utility>

#include "kml/kube/objects/status.h"
#include "kube/client/request_parts.h"
#include "kube/client/retry.h"

namespace kml::kube {

namespace {

using http::websocket::Opcode;
using http::websocket::Role;

/// The API server does not accept larger frames (golang.org/x/net/websocket).
constexpr size_t kLongestFrame = 32 << 10;
/// A peer that reads nothing may still send pings. Once this much is unsent, its pings are no longer answered
/// (RFC 6455, 5.5.3).
constexpr size_t kMostUnsentForPongs = size_t{256} << 10;
/// A ping is sent more often than once a minute, because load balancers close connections that are silent for
/// a minute.
constexpr std::chrono::seconds kBetweenPings{25};
/// How many times a busy server is asked again, and after what time if the server names none.
constexpr int kMostRepetitions = 5;
constexpr std::chrono::seconds kAfterRefusal{1};

/// Whether the server may accept the same request a moment later. Errors of the kubelet itself have status
/// 500.
bool may_pass(int status) {
  return status != 500 && api::is_passing(status);
}

}  // namespace

/// Shared, so that a callback may destroy the Channels object.
struct Channels::State : std::enable_shared_from_this<Channels::State> {
  State(Client& its_client, Options its_options, Handler its_handler)
      : client(its_client), options(std::move(its_options)), handler(std::move(its_handler)) {}

  void open();
  void answered(const http::Response& response);
  bool take(std::string_view bytes);
  bool take_message(Opcode opcode, std::string_view payload);
  void ended(const http::Response& response, const Error* broken);
  bool repeats(const http::Response& refusal);
  void end(const Error* error);
  void send(Opcode opcode, std::string_view payload) {
    const std::string bytes = frame(Role::client, opcode, payload);
    is_open ? connection->send(bytes) : static_cast<void>(waiting += bytes);
  }
  void ping_later();

  Client& client;
  Options options;
  Handler handler;
  http::websocket::Reader reader{Role::client};
  std::string key = http::websocket::new_key();
  bool is_open = false, is_over = false, is_paused = false, was_unauthorized = false;
  int repetitions = 0;
  std::string waiting;  ///< the bytes to send once the connection is open
  std::unique_ptr<http::Connection> connection;
  std::unique_ptr<http::Timer> ping, again;
};

void Channels::State::open() {
  connection = client.transport().upgrade(
      {.path = options.path, .headers = http::websocket::request_headers(key, options.protocol)},
      {.on_open = [this](const http::Response& response) { answered(response); },
       .on_data = [this](std::string_view bytes) { return take(bytes); },
       .on_end = [this](const http::Response& response, const Error* broken) { ended(response, broken); }});
  if (is_paused) connection->pause(true);
}

void Channels::State::answered(const http::Response& response) {
  const std::shared_ptr<State> alive = shared_from_this();
  const bool is_right = response.header("sec-websocket-accept") == http::websocket::accept_of(key) &&
                        response.header("sec-websocket-protocol") == options.protocol;
  if (!is_right) {
    const Error error(ErrorCode::unreachable, options.tried,
                      "the server does not support " + options.protocol, options.fix);
    return end(&error);
  }
  is_open = true;
  if (!waiting.empty()) connection->send(std::exchange(waiting, {}));
  ping_later();
  if (handler.on_open) handler.on_open();
}

void Channels::State::ping_later() {
  ping = client.transport().after(kBetweenPings, [this] {
    send(Opcode::ping, "");
    ping_later();
  });
}

bool Channels::State::take(std::string_view bytes) {
  const std::shared_ptr<State> alive = shared_from_this();
  if (is_over) return false;
  try {
    reader.feed(bytes, [&](Opcode opcode, std::string_view payload) {
      return take_message(opcode, payload) && !is_over;
    });
  } catch (const Error& error) {
    const Error named(ErrorCode::unreachable, options.tried, error.message + ": " + error.why);
    end(&named);
  }
  return !is_over;
}

bool Channels::State::take_message(Opcode opcode, std::string_view payload) {
  if (opcode == Opcode::ping) {
    if (connection->unsent() < kMostUnsentForPongs) send(Opcode::pong, payload);
    return true;
  }
  if (opcode == Opcode::close) {
    ended({}, nullptr);
    return false;
  }
  if (opcode == Opcode::pong || payload.empty()) return true;
  return handler.on_message(payload[0], payload.substr(1));
}

void Channels::State::ended(const http::Response& response, const Error* broken) {
  const std::shared_ptr<State> alive = shared_from_this();
  if (is_over) return;
  if (is_open || broken) return end(broken);
  if (repeats(response)) return;
  const Error refused = response_error(options.tried, response);
  end(&refused);
}

/// Whether the request is sent again. Nothing has run yet, so it can be repeated with a new credential (a
/// plugin or a renewed file may provide one), or when the server is less busy.
bool Channels::State::repeats(const http::Response& refusal) {
  std::chrono::seconds delay{0};
  if (refusal.status != 401 || std::exchange(was_unauthorized, true)) {
    if (!may_pass(refusal.status) || ++repetitions > kMostRepetitions) return false;
    delay = retry_after(refusal).value_or(kAfterRefusal);
  }
  again = client.transport().after(delay, [this] {
    const std::shared_ptr<State> alive = shared_from_this();
    try {
      open();
    } catch (const Error& error) {
      end(&error);
    }
  });
  return true;
}

void Channels::State::end(const Error* error) {
  if (std::exchange(is_over, true)) return;
  ping.reset();
  again.reset();
  handler.on_end(error);
}

Channels::Channels(Client& client, Options options, Handler handler)
    : state_(std::make_shared<State>(client, std::move(options), std::move(handler))) {
  state_->open();
}

Channels::~Channels() {
  state_->is_over = true;
  state_->ping.reset();
  state_->again.reset();
  state_->connection.reset();
}

void Channels::send(char channel, std::string_view content) {
  for (; !content.empty(); content.remove_prefix(std::min(content.size(), kLongestFrame - 1)))
    send_message(std::string(1, channel) + std::string(content.substr(0, kLongestFrame - 1)));
}

void Channels::send_message(std::string_view message) {
  state_->send(Opcode::binary, message);
}

size_t Channels::unsent() const {
  return state_->waiting.size() + state_->connection->unsent();
}

void Channels::pause(bool on) {
  state_->is_paused = on;
  state_->connection->pause(on);
}

bool Channels::is_open() const {
  return state_->is_open;
}

}  // namespace kml::kube
