#include "local/streams/port_session.h"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <utility>

#include "kml/base/error.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "kml/net/http/spdy.h"
#include "local/streams/port_target.h"
#include "local/streams/stream_request.h"

namespace kml::local {

namespace {

namespace spdy = http::spdy;

/// The common part of both protocols: numbered connections. Holds about kMostHeld bytes at most for each
/// connection, and for the client. Neither protocol has flow control, so a connection whose target does not
/// read stops all others.
class PortSession : public SocketSession {
 public:
  PortSession(EventLoop& loop, Json pod)
      : loop_(loop),
        pod_(fmt::format("{}, uid {}", api::name_of(pod), api::uid_of(pod))),
        object_(std::move(pod)) {}

  void on_sent() override {
    remove_ended();
    for (const auto& [number, target] : targets_) target->pump();
  }
  // Does not destroy the targets, because one of them may be calling this.
  void on_closed() override {}

 protected:
  virtual void received(uint32_t connection, std::string_view bytes) = 0;
  virtual void ended(uint32_t connection, const std::string& problem) = 0;

  void open(uint32_t connection, int port) {
    targets_[connection] = std::make_unique<PortTarget>(
        loop_, api::machine_port(object_, port),
        PortTarget::Callbacks{[this, connection](std::string_view bytes) { received(connection, bytes); },
                              [this] { return socket->unsent() < kMostHeld; }, [this] { regulate(); },
                              [this, connection, port](const std::string& problem) {
                                ended(connection, problem.empty()
                                                      ? ""
                                                      : fmt::format("error forwarding port {} to pod {}: {}",
                                                                    port, pod_, problem));
                                regulate();
                              }});
  }

  PortTarget* target(uint32_t connection) {
    auto found = targets_.find(connection);
    return found == targets_.end() ? nullptr : found->second.get();
  }
  void forget(uint32_t connection) {
    targets_.erase(connection);
    regulate();
  }
  /// Must not be called by a target.
  void remove_ended() {
    std::erase_if(targets_, [](const auto& entry) { return entry.second->has_ended(); });
  }
  void regulate() {
    bool is_behind = false;
    for (const auto& [number, one] : targets_) is_behind = is_behind || one->held() >= kMostHeld;
    socket->read_more(!is_behind);
  }

 private:
  EventLoop& loop_;
  std::string pod_;  ///< for messages
  Json object_;
  std::map<uint32_t, std::unique_ptr<PortTarget>> targets_;
};

std::string header_of(const http::spdy::HeaderList& headers, std::string_view name) {
  for (const auto& [its_name, value] : headers)
    if (its_name == name) return value;
  return {};
}

/// A connection is identified by its data stream. Its error stream, which the client opens first, has the
/// same `requestid`.
class SpdyPorts : public PortSession {
 public:
  using PortSession::PortSession;

  void on_open() override {}

  void on_message(std::string_view payload) override {
    remove_ended();
    reader_.feed(payload, [this](const http::spdy::Frame& frame) { take(frame); });
    if (error_streams_.size() > kMostUnpaired) socket->close();
    regulate();
  }

 private:
  static constexpr uint32_t kProtocolError = 1;
  static constexpr size_t kMostUnpaired = 1024;

  void take(const http::spdy::Frame& frame) {
    switch (frame.kind) {
      case http::spdy::Kind::syn_stream: begin(frame); break;
      case http::spdy::Kind::data:
        if (PortTarget* one = target(frame.stream)) {
          one->write(frame.payload);
          if (frame.is_last) one->end_input();
        }
        break;
      case http::spdy::Kind::rst_stream:
        if (target(frame.stream)) {
          send_end(frame.stream, "", false);
          forget(frame.stream);
        }
        break;
      case http::spdy::Kind::ping:
        if (frame.stream % 2 == 1) socket->send(http::spdy::Writer::ping(frame.stream));
        break;
      case http::spdy::Kind::goaway: socket->close(); break;
      default: break;
    }
  }

  void begin(const http::spdy::Frame& frame) {
    const std::string type = header_of(frame.headers, "streamtype"),
                      request = header_of(frame.headers, "requestid");
    const int port = port_number(header_of(frame.headers, "port"));
    const bool is_error = type == "error";
    const auto pair = error_streams_.find(request);
    if (port == 0 || (is_error ? pair != error_streams_.end()
                               : type != "data" || pair == error_streams_.end() || target(frame.stream)))
      return socket->send(http::spdy::Writer::rst_stream(frame.stream, kProtocolError));
    socket->send(writer_.syn_reply(frame.stream));
    if (is_error) {
      error_streams_[request] = frame.stream;
      return;
    }
    error_of_[frame.stream] = pair->second;
    error_streams_.erase(pair);
    open(frame.stream, port);
    if (frame.is_last) target(frame.stream)->end_input();
  }

  void received(uint32_t stream, std::string_view bytes) override {
    socket->send(http::spdy::Writer::data(stream, bytes));
  }

  void ended(uint32_t stream, const std::string& problem) override { send_end(stream, problem, true); }

  void send_end(uint32_t stream, const std::string& problem, bool also_of_data) {
    auto error = error_of_.extract(stream);
    if (error.empty()) return;
    if (!problem.empty()) socket->send(http::spdy::Writer::data(error.mapped(), problem));
    if (also_of_data) socket->send(http::spdy::Writer::data(stream, "", true));
    socket->send(http::spdy::Writer::data(error.mapped(), "", true));
  }

  http::spdy::Reader reader_;
  http::spdy::Writer writer_;
  std::map<std::string, uint32_t> error_streams_;  ///< error streams without a data stream so far, by request
  std::map<uint32_t, uint32_t> error_of_;          ///< error streams by data stream
};

class ChannelPorts : public PortSession {
 public:
  ChannelPorts(EventLoop& loop, Json pod, std::vector<int> ports)
      : PortSession(loop, std::move(pod)), ports_(std::move(ports)) {}

  void on_open() override {
    for (size_t i = 0; i < ports_.size(); ++i) {
      // The first message on each channel is the number of its port, low byte first.
      const std::string port{static_cast<char>(ports_[i]), static_cast<char>(ports_[i] >> 8)};
      send_on(*socket, static_cast<Channel>(2 * i), port);
      send_on(*socket, static_cast<Channel>(2 * i + 1), port);
      open(static_cast<uint32_t>(i), ports_[i]);
    }
  }

  void on_message(std::string_view payload) override {
    if (payload.empty() || payload[0] % 2 != 0) return;
    if (PortTarget* one = target(static_cast<unsigned char>(payload[0]) / 2)) one->write(payload.substr(1));
    regulate();
  }

 private:
  void received(uint32_t connection, std::string_view bytes) override {
    send_on(*socket, static_cast<Channel>(2 * connection), bytes);
  }

  /// The protocol cannot close a single channel, so the WebSocket is closed when the last connection has
  /// ended.
  void ended(uint32_t connection, const std::string& problem) override {
    if (!problem.empty()) send_on(*socket, static_cast<Channel>(2 * connection + 1), problem);
    if (++ended_ == ports_.size()) socket->close();
  }

  std::vector<int> ports_;
  size_t ended_ = 0;
};

}  // namespace

int port_number(const std::string& text) {
  int port = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), port);
  return failure == std::errc() && end == text.data() + text.size() && port > 0 && port < 65536 ? port : 0;
}

std::unique_ptr<SocketSession> spdy_port_session(EventLoop& loop, Json pod) {
  return std::make_unique<SpdyPorts>(loop, std::move(pod));
}

std::unique_ptr<SocketSession> channel_port_session(EventLoop& loop, Json pod, std::vector<int> ports) {
  return std::make_unique<ChannelPorts>(loop, std::move(pod), std::move(ports));
}

}  // namespace kml::local
