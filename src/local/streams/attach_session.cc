#include "local/streams/attach_session.h"

#include <algorithm>
#include <string>
#include <utility>

namespace kml::local {

namespace {

class AttachSession : public SocketSession {
 public:
  explicit AttachSession(AttachSources sources) : sources_(std::move(sources)) {}

  void on_open() override {
    send_on(*socket, sources_.front().first, "");
    for (const auto& [channel, source] : sources_) source->on_ready = [this] { pump(); };
    pump();
  }
  void on_message(std::string_view) override {}
  void on_sent() override { pump(); }
  // Does not destroy the sources, because one of them may be calling this.
  void on_closed() override { is_over_ = true; }

 private:
  void pump() {
    bool all_ended = true;
    for (auto& [channel, source] : sources_) {
      while (source && !is_over_ && socket->unsent() < kMostHeld) {
        std::string piece;
        const BodySource::Next next = source->read(piece);
        for (size_t at = 0; at < piece.size(); at += kLargestMessage)
          send_on(*socket, channel, std::string_view(piece).substr(at, kLargestMessage));
        if (next == BodySource::Next::wait) break;
        if (next == BodySource::Next::end) ended_.push_back(std::exchange(source, nullptr));
      }
      all_ended = all_ended && !source;
    }
    if (!all_ended || is_over_) return;
    is_over_ = true;
    send_on(*socket, Channel::status, success_text());
    socket->close();
  }

  AttachSources sources_;
  /// sources that have ended; they are kept, because one of them may be the caller of this object
  std::vector<std::unique_ptr<BodySource>> ended_;
  bool is_over_ = false;
};

}  // namespace

std::unique_ptr<SocketSession> attach_session(AttachSources sources) {
  return std::make_unique<AttachSession>(std::move(sources));
}

}  // namespace kml::local
