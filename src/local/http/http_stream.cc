#include "local/http/http_stream.h"

#include <cstring>

namespace kml::local {

namespace {

constexpr size_t kBlock = 32 << 10;

}  // namespace

class HttpStreams::Stream {
 public:
  Stream(HttpStreams& streams, MHD_Connection* connection, std::unique_ptr<BodySource> source)
      : streams_(streams), connection_(connection), source_(std::move(source)) {
    source_->on_ready = [this] { resume(); };
    streams_.streams_.insert(this);
  }

  ~Stream() {
    if (suspended_) streams_.loop_.forget(socket());
    streams_.streams_.erase(this);
  }

  ssize_t read(char* buffer, size_t space) {
    while (sent_ == piece_.size()) {
      if (over_) return MHD_CONTENT_READER_END_OF_STREAM;
      piece_.clear();
      sent_ = 0;
      switch (source_->read(piece_)) {
        case BodySource::Next::more: break;
        case BodySource::Next::end: over_ = true; break;
        case BodySource::Next::wait:
          if (!piece_.empty()) break;
          suspend();
          return 0;
      }
    }
    const size_t size = std::min(space, piece_.size() - sent_);
    std::memcpy(buffer, piece_.data() + sent_, size);
    sent_ += size;
    return static_cast<ssize_t>(size);
  }

  void end() {
    over_ = true;
    resume();
  }

 private:
  int socket() const {
    return microhttpd().get_connection_info(connection_, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
  }

  /// While a connection is suspended, libmicrohttpd ignores it, so this watches whether the client hangs up.
  void suspend() {
    microhttpd().suspend_connection(connection_);
    suspended_ = true;
    streams_.loop_.watch(socket(), EPOLLRDHUP, [this](uint32_t) { end(); });
  }

  void resume() {
    if (!suspended_) return;
    suspended_ = false;
    streams_.loop_.forget(socket());
    microhttpd().resume_connection(connection_);
    if (streams_.on_resumed) streams_.on_resumed();
  }

  HttpStreams& streams_;
  MHD_Connection* connection_;
  std::unique_ptr<BodySource> source_;
  std::string piece_;
  size_t sent_ = 0;
  bool suspended_ = false;
  bool over_ = false;
};

MHD_Response* HttpStreams::response(MHD_Connection* connection, std::unique_ptr<BodySource> source) {
  auto* stream = new Stream(*this, connection, std::move(source));
  return microhttpd().create_response_from_callback(
      MHD_SIZE_UNKNOWN, kBlock,
      [](void* cls, uint64_t, char* buffer, size_t space) -> ssize_t {
        try {
          return static_cast<Stream*>(cls)->read(buffer, space);
        } catch (const std::exception&) {
          return MHD_CONTENT_READER_END_WITH_ERROR;
        }
      },
      stream, [](void* cls) { delete static_cast<Stream*>(cls); });
}

void HttpStreams::end_all() {
  for (Stream* stream : streams_) stream->end();
}

}  // namespace kml::local
