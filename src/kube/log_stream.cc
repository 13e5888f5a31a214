#include "kml/kube/log_stream.h"

#include "kube/backoff.h"
#include "kube/line_splitter.h"
#include "kube/response_error.h"
#include "kube/seen_lines.h"
#include "kube/weak_stream.h"

namespace kml::kube {

namespace {

using std::chrono::milliseconds;

constexpr size_t kLongestLine = size_t{1} << 20;
/// Connections that may break one after another without a line in between.
constexpr int kMostBreaks = 10;

/// The kubelet writes some of its own failures into the log, under status 200 and without a timestamp.
bool is_kubelet_failure(std::string_view line) {
  return line.starts_with("unable to retrieve container logs for ") ||
         line.starts_with("failed to create fsnotify watcher: ");
}

class Follower : public std::enable_shared_from_this<Follower> {
 public:
  Follower(Client& client, std::string namespace_name, std::string pod, LogOptions options,
           LogStreamHandler handler)
      : client_(client),
        namespace_(std::move(namespace_name)),
        pod_(std::move(pod)),
        options_(std::move(options)),
        handler_(std::move(handler)) {
    options_.follow = options_.timestamps = true;
  }

  void open();
  void finish();
  void take(std::string_view data);
  void end(const http::Response& response, const Error* broken);
  void stop() {
    stopped_ = true;
    stream_.reset();
    timer_.reset();
  }

 private:
  void take_line(std::string_view line);
  void retry(const Error& error);
  void fail(const Error& error) {
    stream_.reset();
    handler_.on_failure(error);
  }

  Client& client_;
  const std::string namespace_, pod_;
  LogOptions options_;
  const LogStreamHandler handler_;

  Backoff backoff_{random_fraction};
  LineSplitter lines_{kLongestLine};
  SeenLines seen_;
  int breaks_ = 0;
  std::unique_ptr<http::Stream> stream_;
  std::unique_ptr<http::Timer> timer_;
  bool stopped_ = false;
};

void Follower::open() {
  lines_.clear();  // a line that was cut comes again, whole
  timer_.reset();
  if (const auto from = seen_.resume_from()) {
    options_.since_time = rfc3339(*from);
    options_.tail_lines.reset();
    seen_.resumed();
  }
  stream_ =
      client_.transport().stream(log_request(namespace_, pod_, options_), weak_handler(weak_from_this()));
}

void Follower::take(std::string_view data) {
  lines_.feed(data);
  const http::Stream* const source = stream_.get();
  std::string_view line;
  // A callback may stop, or resume with another stream.
  while (!stopped_ && stream_.get() == source && lines_.next(line)) take_line(line);
}

void Follower::take_line(std::string_view line) {
  const size_t space = std::min(line.find(' '), line.size());
  const std::string_view stamp = line.substr(0, space);
  const auto time = parse_rfc3339(stamp);
  if (!time && is_kubelet_failure(line))
    return fail(Error(ErrorCode::failure, "cannot read the log of pod \"" + pod_ + "\"", std::string(line)));
  breaks_ = 0;
  if (!time) return handler_.on_line({}, line);
  const std::string_view text = line.substr(std::min(space + 1, line.size()));
  if (seen_.is_new(*time, text)) handler_.on_line(stamp, text);
}

void Follower::end(const http::Response& response, const Error* broken) {
  stream_.reset();
  if (broken) return retry(*broken);
  if (response.status / 100 != 2)
    return fail(response_error("cannot read the log of pod \"" + pod_ + "\"", response));
  handler_.on_end();
}

void Follower::retry(const Error& error) {
  if (++breaks_ > kMostBreaks) return fail(error);
  http::Transport& transport = client_.transport();
  const milliseconds delay = breaks_ == 1 ? milliseconds(0) : backoff_.next(transport.now());
  timer_ = transport.after(delay, [weak = weak_from_this()] {
    if (auto self = weak.lock(); self && !self->stopped_) self->open();
  });
}

void Follower::finish() {
  stream_.reset();
  timer_.reset();
  if (const std::string rest = lines_.take_rest(); !rest.empty()) take_line(rest);
}

class FollowerHandle : public LogStream {
 public:
  explicit FollowerHandle(std::shared_ptr<Follower> follower) : follower_(std::move(follower)) {
    follower_->open();
  }
  ~FollowerHandle() override { follower_->stop(); }
  void resume() override { follower_->open(); }
  void finish() override { follower_->finish(); }

 private:
  std::shared_ptr<Follower> follower_;
};

}  // namespace

std::unique_ptr<LogStream> follow_log(Client& client, std::string namespace_name, std::string pod,
                                      LogOptions options, LogStreamHandler handler) {
  return std::make_unique<FollowerHandle>(std::make_shared<Follower>(
      client, std::move(namespace_name), std::move(pod), std::move(options), std::move(handler)));
}

}  // namespace kml::kube
