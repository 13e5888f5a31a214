// A connection never uses much memory: the peer's messages are only read while its session accepts them, and
// the session checks how much is queued before it sends more.
#include "local/http/web_socket.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "local/http/http_stream.h"
#include "local/http/upgraded_wire.h"

namespace kml::local {

using http::websocket::Opcode;
using http::websocket::Role;

namespace {

// How long a client may take to close the connection after the close frame.
constexpr std::chrono::seconds kFarewell{5};
// How often one connection is read in one turn of the event loop, so that other connections are read, too.
constexpr int kReadsInTurn = 16;
constexpr size_t kMostUntaken = size_t{4} << 20;
constexpr uint16_t kNormal = 1000, kProtocolError = 1002;

/// The bytes that wait to be sent.
class Outbox {
 public:
  void add(std::string_view bytes) { bytes_ += bytes; }
  size_t size() const { return bytes_.size() - sent_; }
  const char* data() const { return bytes_.data() + sent_; }
  void sent(size_t count) {
    sent_ += count;
    // Moving the rest to the front takes time, so this is done rarely.
    if (sent_ < bytes_.size() && sent_ <= (256 << 10)) return;
    bytes_.erase(0, sent_);
    sent_ = 0;
  }

 private:
  std::string bytes_;
  size_t sent_ = 0;
};

}  // namespace

class WebSockets::Connection : public WebSocket {
 public:
  Connection(WebSockets& sockets, UpgradedWire wire, MHD_UpgradeResponseHandle* handle,
             std::unique_ptr<SocketSession> session)
      : sockets_(sockets), wire_(wire), handle_(handle), session_(std::move(session)) {
    session_->socket = this;
    ::fcntl(wire_.socket(), F_SETFL, ::fcntl(wire_.socket(), F_GETFL) | O_NONBLOCK);
  }

  void begin(std::string_view early) {
    loop().watch(wire_.socket(), EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET,
                 [this](uint32_t events) { on_events(events); });
    guarded([&] {
      session_->on_open();
      take(early);
      read();
    });
  }

  void send(std::string_view payload) override {
    if (closing_ || broken_ || ended_) return;
    out_.add(http::websocket::frame(Role::server, Opcode::binary, payload));
    flush();
  }

  size_t unsent() const override { return out_.size(); }

  void read_more(bool wanted) override {
    if (std::exchange(is_reading_, wanted) == wanted) return;
    if (wanted)
      read_soon();
    else if (has_hung_up_)
      end_soon();
  }

  void close() override { say_goodbye(kNormal); }

  /// Returns the connection to libmicrohttpd.
  void end() {
    if (std::exchange(ended_, true)) return;
    if (farewell_) loop().cancel(*farewell_);
    loop().forget(wire_.socket());
    session_->on_closed();
    microhttpd().upgrade_action(handle_, MHD_UPGRADE_ACTION_CLOSE);
    if (sockets_.on_progress) sockets_.on_progress();
    // Deferred, because the session may be the caller.
    loop().defer([&sockets = sockets_, self = this] { sockets.connections_.erase(self); });
  }

 private:
  EventLoop& loop() { return sockets_.loop_; }

  /// Ends the connection a little later, because the session does not expect on_closed() while it is calling
  /// the socket.
  void end_soon() {
    if (std::exchange(broken_, true)) return;
    loop().defer([&sockets = sockets_, self = this] {
      if (sockets.connections_.contains(self)) self->end();
    });
  }

  /// Calls `action`. An error caused by a peer only ends that peer's connection.
  void guarded(const std::function<void()>& action) {
    try {
      action();
    } catch (const Error&) {
      say_goodbye(kProtocolError);
    }
  }

  void on_events(uint32_t events) {
    guarded([&] {
      if ((events & EPOLLOUT) != 0) flush();
      if ((events & EPOLLRDHUP) != 0) hung_up();
      if ((events & (EPOLLERR | EPOLLHUP)) != 0 && !ended_) return end();
      read();
    });
  }

  void hung_up() {
    has_hung_up_ = true;
    if (!is_reading_) end();
  }

  void read_soon() {
    if (std::exchange(read_is_due_, true)) return;
    loop().after(std::chrono::nanoseconds(0), [&sockets = sockets_, self = this] {
      if (!sockets.connections_.contains(self)) return;
      self->read_is_due_ = false;
      self->guarded([self] { self->read(); });
    });
  }

  void read() {
    char buffer[16 << 10];
    // A peer that does not read its responses gets no more of them. Once it reads, on_events() continues
    // here.
    for (int count = 0; is_reading_ && !broken_ && !ended_ && out_.size() < kMostUntaken; ++count) {
      if (count == kReadsInTurn) return read_soon();
      const ssize_t got = wire_.receive(buffer, sizeof buffer);
      if (got < 0 && errno == EINTR) continue;
      // If the peer has closed the connection within a record, GnuTLS reads the available bytes, and then
      // waits for the rest.
      if (got < 0 && errno == EAGAIN) return has_hung_up_ ? end() : void();
      if (got <= 0) return end();
      take({buffer, static_cast<size_t>(got)});
    }
  }

  void take(std::string_view bytes) {
    if (bytes.empty()) return;
    reader_.feed(bytes, [this](Opcode opcode, std::string_view payload) {
      switch (opcode) {
        case Opcode::close: say_goodbye(kNormal); break;
        case Opcode::ping:
          if (!closing_) out_.add(http::websocket::frame(Role::server, Opcode::pong, payload));
          break;
        case Opcode::pong: break;
        default:
          if (!closing_) session_->on_message(payload);
      }
      return !ended_ && !broken_;
    });
    if (!ended_) flush();
  }

  /// Sends the close frame. The connection stays open until the client closes it, so that the client receives
  /// everything.
  void say_goodbye(uint16_t code) {
    if (ended_) return;
    if (std::exchange(closing_, true)) return;
    out_.add(http::websocket::frame(Role::server, Opcode::close, http::websocket::close_payload(code)));
    farewell_ = loop().after(kFarewell, [this] {
      farewell_.reset();
      end();
    });
    is_reading_ = true;
    read_soon();
    flush();
  }

  void flush() {
    bool sent_some = false;
    while (!ended_ && !broken_ && out_.size() > 0) {
      const ssize_t sent = wire_.send(out_.data(), out_.size());
      if (sent < 0 && errno == EINTR) continue;
      if (sent < 0 && errno == EAGAIN) break;
      if (sent <= 0) return end_soon();
      out_.sent(static_cast<size_t>(sent));
      sent_some = true;
    }
    if (sent_some && !closing_ && !std::exchange(drain_is_due_, true))
      loop().defer([&sockets = sockets_, self = this] {
        if (!sockets.connections_.contains(self)) return;
        self->drain_is_due_ = false;
        if (!self->ended_ && !self->broken_ && !self->closing_)
          self->guarded([self] { self->session_->on_sent(); });
      });
  }

  WebSockets& sockets_;
  UpgradedWire wire_;
  MHD_UpgradeResponseHandle* handle_;
  std::unique_ptr<SocketSession> session_;
  http::websocket::Reader reader_{Role::server};
  Outbox out_;
  bool is_reading_ = true, has_hung_up_ = false, closing_ = false, broken_ = false, ended_ = false;
  bool read_is_due_ = false, drain_is_due_ = false;
  std::optional<EventLoop::Timer> farewell_;
};

WebSockets::WebSockets(EventLoop& loop) : loop_(loop) {}

WebSockets::~WebSockets() = default;

MHD_Response* WebSockets::response(MHD_Connection* connection, const UpgradeHeaders& asked,
                                   const std::string& protocol, std::unique_ptr<SocketSession> session) {
  MHD_Response* answer = microhttpd().create_response_for_upgrade(&WebSockets::upgraded, this);
  if (!answer) return nullptr;
  promised_[connection] = std::move(session);
  const auto add = [&](const char* name, const std::string& value) {
    microhttpd().add_response_header(answer, name, value.c_str());
  };
  add("Upgrade", "websocket");
  add("Sec-WebSocket-Accept", http::websocket::accept_of(asked.key));
  add("Sec-WebSocket-Protocol", protocol);
  return answer;
}

void WebSockets::upgraded(void* cls, MHD_Connection* connection, void*, const char* extra, size_t extra_size,
                          MHD_socket socket, MHD_UpgradeResponseHandle* handle) {
  auto& sockets = *static_cast<WebSockets*>(cls);
  auto promised = sockets.promised_.extract(connection);
  UpgradedWire wire(connection, socket);
  const std::string early = std::string(extra, extra_size) + wire.take_early();
  auto made = std::make_unique<Connection>(sockets, wire, handle, std::move(promised.mapped()));
  Connection* begun = made.get();
  sockets.connections_.emplace(begun, std::move(made));
  // Deferred, because libmicrohttpd is calling this.
  sockets.loop_.defer([&sockets, begun, early] {
    if (sockets.connections_.contains(begun)) begun->begin(early);
  });
}

void WebSockets::end_all() {
  for (const auto& [connection, owner] : connections_) connection->end();
}

}  // namespace kml::local
