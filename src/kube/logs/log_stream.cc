#include "kml/kube/logs/log_stream.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "kml/kube/objects/labels.h"
#include "kube/client/request_parts.h"
#include "kube/client/retry.h"
#include "kube/client/weak_stream.h"
#include "kube/logs/new_lines.h"
#include "kube/logs/skipped_lines.h"

namespace kml::kube {

namespace {

using std::chrono::milliseconds;

/// The maximum number of broken connections in a row without a new line in between.
constexpr int kMostBreaks = 10;

/// Whether the line is an error of the kubelet. It sends some of its errors as text of the log, with status
/// 200 and without a timestamp.
bool is_kubelet_failure(std::string_view line) {
  return line.starts_with("unable to retrieve container logs for ") ||
         line.starts_with("failed to create fsnotify watcher: ") ||
         line.starts_with("failed to try resolving symlinks in path ");
}

/// Whether the line is the server's own message, not a line of the log.
bool is_notice(const LogText& line) {
  return line.begins && line.stamp.empty() &&
         (is_kubelet_failure(line.text) || line.text.starts_with(api::kLostLogNotice));
}

/// Makes the requests for a log: the first one as the owner wants it, the later ones for what follows the
/// last line.
class LogRequests {
 public:
  LogRequests(std::string namespace_name, std::string pod)
      : namespace_(std::move(namespace_name)), pod_(std::move(pod)) {}

  void begin(LogOptions options, http::SteadyTime now) {
    options_ = std::move(options);
    options_.timestamps = true;
    begun_ = now;
  }
  bool follow() const { return options_.follow; }
  /// `from` is empty before the first line.
  http::Request request(std::optional<Time> from, http::SteadyTime now) const {
    LogOptions options = from ? options_from(*from) : options_;
    if (options.since_seconds) *options.since_seconds += ceil<std::chrono::seconds>(now - begun_);
    http::Request request = log_request(namespace_, pod_, options);
    request.own_connection = true;
    return request;
  }
  /// The request for the lines that exist now.
  http::Request look(Time from) const {
    LogOptions options = options_from(from);
    options.follow = false;
    return log_request(namespace_, pod_, options);
  }
  std::string failure() const { return "cannot read the log of pod \"" + pod_ + "\""; }
  Error failure_because(std::string_view why) const {
    return Error(ErrorCode::failure, failure(), std::string(why));
  }

 private:
  LogOptions options_from(Time from) const {
    LogOptions options = options_;
    options.since_time = rfc3339(from);
    options.since_seconds.reset();
    options.tail_lines.reset();
    return options;
  }

  const std::string namespace_, pod_;
  LogOptions options_;
  http::SteadyTime begun_{};
};

/// Decides whether and when a failed request is sent again.
class LogRetries {
 public:
  void on_new_lines() {
    breaks_ = 0;
    backoff_.reset();
  }
  /// The delay after a broken connection; empty if the connection broke too often.
  std::optional<milliseconds> after_break(http::SteadyTime now) {
    if (++breaks_ > kMostBreaks) return {};
    return breaks_ == 1 ? milliseconds(0) : backoff_.next(now);
  }

 private:
  Backoff backoff_{random_fraction};
  int breaks_ = 0;
};

class Reader : public std::enable_shared_from_this<Reader> {
 public:
  Reader(Client& client, std::string namespace_name, std::string pod, LogStreamHandler handler, LogCut cut)
      : client_(client),
        requests_(std::move(namespace_name), std::move(pod)),
        handler_(std::move(handler)),
        lines_(cut),
        skipped_(client, lines_,
                 {.is_reading = [this] { return phase_ == Phase::answered && !paused_; },
                  .request = [this](Time from) { return requests_.look(from); },
                  .pause_changed = [this] { hold(); },
                  .ask_again = [this] { open(); }}) {}

  void recall(Time time, std::string_view text) { lines_.recall(time, text); }
  void ask(LogOptions options);
  void accept();
  bool lost_track() const { return lines_.seen().unmatched(); }
  void pause(bool on) {
    paused_ = on;
    hold();
  }
  void finish();
  /// After this, no callback is called until ask().
  void close();

  void take(std::string_view data);
  void end(const http::Response& response, const Error* broken);

 private:
  enum class Phase {
    closed,    ///< before the first request, between two attempts, and at the end
    asked,     ///< a request was sent, and no part of the response has arrived
    answered,  ///< a part of the response has arrived
    doubting,  ///< the response is paused until the owner has answered on_doubt()
  };

  void open();
  void open_after(milliseconds delay);
  bool is_held() const { return paused_ || skipped_.must_pause() || phase_ == Phase::doubting; }
  void hold() {
    if (stream_) stream_->pause(is_held());
  }
  void take_lines();
  bool take_line(const LogText& line);
  bool take_notice(std::string_view text);
  bool hand_on();
  void show_unfinished();
  void fail(const Error& error);

  Client& client_;
  LogRequests requests_;
  const LogStreamHandler handler_;
  Phase phase_ = Phase::closed;
  LogRetries retries_;
  NewLines lines_;
  std::vector<LogText> batch_;  ///< lines not passed on yet
  std::unique_ptr<http::Stream> stream_;
  SkippedLines skipped_;
  std::unique_ptr<http::Timer> retry_;
  bool paused_ = false;
};

void Reader::ask(LogOptions options) {
  requests_.begin(std::move(options), client_.transport().now());
  retries_.on_new_lines();
  open();
}

void Reader::close() {
  stream_.reset();
  retry_.reset();
  skipped_.end_response();
  phase_ = Phase::closed;
}

void Reader::open() {
  close();
  const auto now = client_.transport().now();
  http::Request request = requests_.request(lines_.begin_response(), now);
  phase_ = Phase::asked;
  skipped_.begin_response(requests_.follow());
  http::StreamHandler handler = weak_handler(weak_from_this());
  handler.on_headers = [weak = weak_from_this()](const http::Response& response) {
    const auto self = weak.lock();
    if (self && response.is_web_page())
      self->fail(self->requests_.failure_because("the answer is a web page"));
  };
  stream_ = client_.transport().stream(std::move(request), std::move(handler));
  if (paused_) stream_->pause(true);
}

void Reader::take(std::string_view data) {
  if (phase_ == Phase::asked) phase_ = Phase::answered;
  skipped_.on_data();
  lines_.feed(data);
  take_lines();
}

void Reader::take_lines() {
  for (LogText line; lines_.next(line);)
    if (!take_line(line)) return;
  if (hand_on()) show_unfinished();
}

void Reader::show_unfinished() {
  if (!handler_.on_unfinished || skipped_.awaits_line() || is_held()) return;
  if (const std::optional<LogText> line = lines_.unfinished()) handler_.on_unfinished(*line);
}

/// Processes a line. Returns false if no more lines may be processed now.
bool Reader::take_line(const LogText& line) {
  if (is_notice(line)) return take_notice(line.text);
  if (skipped_.come_before(line)) {
    if (hand_on()) open();
    return false;
  }
  switch (lines_.judge(line)) {
    case SeenLines::Verdict::seen: return true;
    case SeenLines::Verdict::fresh: batch_.push_back(line); return true;
    case SeenLines::Verdict::fresh_after_gap: break;
  }
  phase_ = Phase::doubting;
  hold();
  handler_.on_doubt();
  return false;
}

/// Passes on the lines so far, then the server's message about the log.
bool Reader::take_notice(std::string_view text) {
  const http::Stream* const source = stream_.get();
  if (!hand_on()) return false;
  if (is_kubelet_failure(text)) {
    fail(requests_.failure_because(text));
    return false;
  }
  handler_.on_lost(text.substr(api::kLostLogNotice.size()));
  return stream_ && stream_.get() == source;
}

/// Passes on the lines so far. Returns false if the callback has stopped this stream or called ask(), or if
/// there is no response any more.
bool Reader::hand_on() {
  const http::Stream* const source = stream_.get();
  if (batch_.empty()) return source != nullptr;
  skipped_.on_new_lines();
  retries_.on_new_lines();
  // The callback may call ask(), which changes the batch.
  std::vector<LogText> lines;
  lines.swap(batch_);
  handler_.on_lines(lines);
  if (batch_.empty()) {
    lines.clear();
    batch_.swap(lines);  // keeps the memory for the next batch
  }
  return source && stream_.get() == source;
}

void Reader::accept() {
  if (!lines_.is_holding()) return;
  if (phase_ == Phase::doubting) phase_ = Phase::answered;
  const http::Stream* const source = stream_.get();
  if (const auto gap = lines_.accept()) handler_.on_gap(gap->last, gap->next);
  if (!source || stream_.get() != source) return;
  take_lines();
  if (stream_.get() == source) hold();
}

void Reader::end(const http::Response& response, const Error* broken) {
  close();
  if (broken) {
    const auto delay = retries_.after_break(client_.transport().now());
    return delay ? open_after(*delay) : fail(*broken);
  }
  if (response.status / 100 != 2) return fail(response_error(requests_.failure(), response));
  // The error texts of the kubelet do not end with a newline.
  if (is_kubelet_failure(lines_.begun())) return fail(requests_.failure_because(lines_.begun()));
  handler_.on_end();
}

void Reader::open_after(milliseconds delay) {
  retry_ = client_.transport().after(delay, [weak = weak_from_this()] {
    if (auto self = weak.lock()) self->open();
  });
}

void Reader::fail(const Error& error) {
  close();
  handler_.on_failure(error);
}

void Reader::finish() {
  close();
  lines_.end();  // the response is over, so the owner can no longer answer a doubt
  take_lines();
}

class ReaderHandle : public LogStream {
 public:
  explicit ReaderHandle(std::shared_ptr<Reader> reader) : reader_(std::move(reader)) {}
  ~ReaderHandle() override { reader_->close(); }
  void recall(Time time, std::string_view text) override { reader_->recall(time, text); }
  // A callback may destroy this object. The copied pointer keeps the reader alive during the call.
  void ask(LogOptions options) override { std::shared_ptr(reader_)->ask(std::move(options)); }
  void accept() override { std::shared_ptr(reader_)->accept(); }
  bool lost_track() const override { return reader_->lost_track(); }
  void pause(bool on) override { reader_->pause(on); }
  void finish() override { std::shared_ptr(reader_)->finish(); }

 private:
  std::shared_ptr<Reader> reader_;
};

}  // namespace

std::unique_ptr<LogStream> make_log_stream(Client& client, std::string namespace_name, std::string pod,
                                           LogStreamHandler handler, LogCut cut) {
  return std::make_unique<ReaderHandle>(
      std::make_shared<Reader>(client, std::move(namespace_name), std::move(pod), std::move(handler), cut));
}

}  // namespace kml::kube
