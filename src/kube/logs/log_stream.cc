#include "kml/kube/logs/log_stream.h"

#include <vector>

#include "kml/kube/objects/labels.h"
#include "kube/client/line_pieces.h"
#include "kube/client/request_parts.h"
#include "kube/client/retry.h"
#include "kube/client/weak_stream.h"
#include "kube/logs/seen_lines.h"
#include "kube/logs/stamps.h"

namespace kml::kube {

namespace {

using std::chrono::milliseconds;

/// Maximum number of consecutive broken connections without a new line between them.
constexpr int kMostBreaks = 10;
/// Works around a fault of the kubelet: it notices rotations only after it has read a log to its end once. If
/// the log was rotated before, the kubelet continues with the old file until the next rotation and skips the
/// whole file between. Therefore, after this time without data, a second request checks whether lines are
/// missing. Meanwhile the first response is paused, because its next lines might follow skipped ones. If the
/// second request has found a new line, the first response must continue with that line.
constexpr milliseconds kSilence{1500};
constexpr milliseconds kLongestLook{10'000};
/// Doubled each time until lines arrive, because the server may only be slow.
constexpr milliseconds kFirstPatience{300};
constexpr int kMostDoublings = 6;

/// The kubelet sends some of its own errors as text of the log, with status 200 and without a timestamp.
bool is_kubelet_failure(std::string_view line) {
  return line.starts_with("unable to retrieve container logs for ") ||
         line.starts_with("failed to create fsnotify watcher: ") ||
         line.starts_with("failed to try resolving symlinks in path ");
}

class Reader : public std::enable_shared_from_this<Reader> {
 public:
  Reader(Client& client, std::string namespace_name, std::string pod, LogStreamHandler handler, LogCut cut)
      : client_(client),
        namespace_(std::move(namespace_name)),
        pod_(std::move(pod)),
        handler_(std::move(handler)),
        pieces_(kLongestPiece, cut == LogCut::redraws) {}

  void recall(Time time, std::string_view text) { seen_.judge(time, text); }
  void ask(LogOptions options);
  void accept();
  bool lost_track() const { return seen_.unmatched(); }
  void pause(bool on) {
    paused_ = on;
    hold();
  }
  void finish();
  void stop() {
    close();
    phase_ = Phase::stopped;
  }

  void take(std::string_view data);
  void end(const http::Response& response, const Error* broken);

 private:
  enum class Phase {
    closed,    ///< before the first request, between two attempts, or at the end
    asked,     ///< no part of the response has arrived
    answered,  ///< a part of the response has arrived
    looking,   ///< the response is paused; a second request looks for lines that it skipped
    doubting,  ///< the response is paused until the owner has answered on_doubt()
    stopped,   ///< stopped by the owner: no more callbacks
  };

  void open();
  void open_after(milliseconds delay);
  void await_silence(milliseconds delay);
  void look();
  void look_ended(std::optional<NewerLine> newer, const Error* broken);
  bool skips(const LogText& line);
  bool is_held() const { return paused_ || phase_ == Phase::looking || phase_ == Phase::doubting; }
  bool is_stopped() const { return phase_ == Phase::stopped; }
  void hold() {
    if (stream_) stream_->pause(is_held());
  }
  void close() {
    stream_.reset();
    timer_.reset();
    silence_.reset();
    look_.reset();
    newer_.reset();
    phase_ = Phase::closed;
  }
  void take_pieces();
  bool take_piece(const LinePiece& piece);
  bool take_notice(std::string_view text);
  void hand_on();
  void show_unfinished();
  void raise_doubt(const LinePiece& piece);
  void retry(const Error& error);
  Error kubelet_failure(std::string_view text) const {
    return Error(ErrorCode::failure, "cannot read the log of pod \"" + pod_ + "\"", std::string(text));
  }
  void fail(const Error& error) {
    close();
    handler_.on_failure(error);
  }

  Client& client_;
  const std::string namespace_, pod_;
  LogOptions options_;
  http::SteadyTime asked_{};
  const LogStreamHandler handler_;

  Phase phase_ = Phase::closed;
  Backoff backoff_{random_fraction};
  LinePieces pieces_;
  Stamps stamps_;
  SeenLines seen_;
  Time time_{};                 ///< of the last line that was read
  std::vector<LogText> batch_;  ///< not passed on yet
  int breaks_ = 0;
  std::string held_;  ///< during a doubt: the first new line and all data after it
  bool opened_ = false;
  bool unproven_ = false;  ///< asked again before the first line; the log may be that of another run
  std::unique_ptr<http::Stream> stream_;
  std::unique_ptr<http::Timer> timer_;
  http::SteadyTime came_{};  ///< when the last bytes of the response arrived
  std::unique_ptr<http::Timer> silence_;
  std::unique_ptr<http::Stream> look_;
  std::optional<NewerLine> newer_;  ///< the line with which the response must continue
  int impatience_ = 0;              ///< how often it did not continue in time
  bool paused_ = false;
};

void Reader::ask(LogOptions options) {
  options_ = std::move(options);
  options_.timestamps = true;
  asked_ = client_.transport().now();
  breaks_ = 0;
  backoff_.reset();
  open();
}

void Reader::open() {
  close();
  pieces_.clear();  // an incomplete line will come again as a whole
  held_.clear();
  LogOptions options = options_;
  const auto from = seen_.resume_from();
  unproven_ = std::exchange(opened_, true) && !from;
  if (from) {
    options.since_time = rfc3339(*from);
    options.since_seconds.reset();
    options.tail_lines.reset();
    seen_.resumed();
  } else if (options.since_seconds) {
    *options.since_seconds += ceil<std::chrono::seconds>(client_.transport().now() - asked_);
  }
  http::Request request = log_request(namespace_, pod_, options);
  request.own_connection = true;
  came_ = client_.transport().now();
  phase_ = Phase::asked;
  if (options.follow) await_silence(kSilence);
  http::StreamHandler handler = weak_handler(weak_from_this());
  handler.on_headers = [weak = weak_from_this()](const http::Response& response) {
    const auto self = weak.lock();
    if (self && response.is_web_page()) self->fail(self->kubelet_failure("the answer is a web page"));
  };
  stream_ = client_.transport().stream(std::move(request), std::move(handler));
  if (paused_) stream_->pause(true);
}

void Reader::await_silence(milliseconds delay) {
  silence_ = client_.transport().after(delay, [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (!self || self->is_stopped()) return;
    const auto silent = ceil<milliseconds>(self->client_.transport().now() - self->came_);
    const bool waits = self->paused_ || self->phase_ != Phase::answered;
    if (waits || silent < kSilence) return self->await_silence(waits ? kSilence : kSilence - silent);
    self->look();
  });
}

void Reader::look() {
  const auto from = seen_.resume_from();
  if (!from) return;  // no line was read yet
  LogOptions options = options_;
  options.follow = false;
  options.since_time = rfc3339(*from);
  options.since_seconds.reset();
  options.tail_lines.reset();
  phase_ = Phase::looking;
  hold();
  open_after(kLongestLook);
  look_ = look_for_newer_line(
      client_, log_request(namespace_, pod_, options), seen_, pieces_.empty_copy(),
      [this](std::optional<NewerLine> newer, const Error* broken) { look_ended(std::move(newer), broken); });
}

/// If the second request broke, its result is unknown. The log is then requested again at once, because the
/// first response is paused.
void Reader::look_ended(std::optional<NewerLine> newer, const Error* broken) {
  if (broken) return open_after(milliseconds(0));
  if (phase_ == Phase::looking) phase_ = Phase::answered;
  timer_.reset();
  newer_ = std::move(newer);
  if (newer_) open_after(kFirstPatience * (1 << std::min(impatience_++, kMostDoublings)));
  hold();
}

/// Whether the response has skipped lines: its line comes after the expected one. If the log was rotated
/// often, the response may first have older lines, which a new request can no longer read.
bool Reader::skips(const LogText& line) {
  if (!newer_ || line.stamp.empty() || line.time < newer_->time) return false;
  if (line.time != newer_->time)
    return SeenLines(seen_).judge(line.time, line.text) != SeenLines::Verdict::seen;
  if (line.text == newer_->text) newer_.reset();
  return false;
}

void Reader::take(std::string_view data) {
  came_ = client_.transport().now();
  if (phase_ == Phase::asked) phase_ = Phase::answered;
  if (newer_ && timer_) {
    timer_.reset();
    await_silence(kSilence);
  }
  pieces_.feed(data);
  take_pieces();
}

void Reader::take_pieces() {
  for (LinePiece piece; pieces_.next(piece);)
    if (!take_piece(piece)) return;
  const http::Stream* const source = stream_.get();
  hand_on();
  if (!is_stopped() && source && stream_.get() == source) show_unfinished();
}

/// Shows nothing during a replay, because the line may be one that was already passed on.
void Reader::show_unfinished() {
  if (!handler_.on_unfinished || newer_ || unproven_ || seen_.replaying() || is_held()) return;
  const LinePiece piece = pieces_.unfinished();
  if (piece.text.empty()) return;
  LogText line{time_, {}, piece.text, piece.begins, false};
  if (piece.begins) {
    const size_t stamp = stamps_.read(piece.text, line.time);
    if (stamp == 0 || stamp >= piece.text.size()) return;  // the timestamp itself may be incomplete
    line.stamp = piece.text.substr(0, stamp);
    line.text.remove_prefix(stamp + 1);
  }
  handler_.on_unfinished(line);
}

/// Returns false if no more pieces may be processed.
bool Reader::take_piece(const LinePiece& piece) {
  LogText line{time_, {}, piece.text, piece.begins, piece.ends};
  if (piece.begins) {
    if (const size_t stamp = stamps_.read(piece.text, line.time)) {
      line.stamp = piece.text.substr(0, stamp);
      line.text.remove_prefix(std::min(stamp + 1, piece.text.size()));
    } else if (is_kubelet_failure(piece.text) || piece.text.starts_with(api::kLostLogNotice)) {
      return take_notice(piece.text);
    }
  }
  if (skips(line)) {
    open();
    return false;
  }
  const SeenLines::Verdict verdict =
      unproven_ ? SeenLines::Verdict::fresh_after_gap : seen_.judge(line.time, line.text);
  if (verdict == SeenLines::Verdict::fresh_after_gap) {
    raise_doubt(piece);
    return false;
  }
  time_ = line.time;
  if (verdict == SeenLines::Verdict::fresh) batch_.push_back(line);
  return true;
}

/// Passes on the server's notice about the log, after the lines before it.
bool Reader::take_notice(std::string_view text) {
  const http::Stream* const source = stream_.get();
  hand_on();
  // False if the callback has stopped this stream or asked again.
  const auto goes_on = [&] { return !is_stopped() && stream_ && stream_.get() == source; };
  if (!goes_on()) return false;
  if (is_kubelet_failure(text)) {
    fail(kubelet_failure(text));
    return false;
  }
  handler_.on_lost(text.substr(api::kLostLogNotice.size()));
  return goes_on();
}

void Reader::hand_on() {
  if (batch_.empty()) return;
  breaks_ = impatience_ = 0;
  backoff_.reset();
  // A callback may ask again and thereby change the batch.
  std::vector<LogText> lines;
  lines.swap(batch_);
  handler_.on_lines(lines);
  if (is_stopped() || !batch_.empty()) return;
  lines.clear();
  batch_.swap(lines);  // reuses its memory
}

void Reader::raise_doubt(const LinePiece& piece) {
  held_ = std::string(piece.text) + (piece.ends ? "\n" : "") + std::string(pieces_.unread());
  pieces_.clear();
  phase_ = Phase::doubting;
  hold();
  handler_.on_doubt();
}

void Reader::accept() {
  if (held_.empty()) return;
  const bool is_gap = !std::exchange(unproven_, false);
  if (is_gap) seen_.accept();
  const std::string held = std::exchange(held_, {});
  if (phase_ == Phase::doubting) phase_ = Phase::answered;
  Time next = time_;
  stamps_.read(held, next);
  const http::Stream* const source = stream_.get();
  if (is_gap) handler_.on_gap(seen_.newest_before(), next);
  if (is_stopped() || stream_.get() != source) return;
  pieces_.feed(held);
  take_pieces();
  if (!is_stopped() && stream_.get() == source) hold();
}

void Reader::end(const http::Response& response, const Error* broken) {
  close();
  if (broken) return retry(*broken);
  if (response.status / 100 != 2)
    return fail(response_error("cannot read the log of pod \"" + pod_ + "\"", response));
  // The kubelet's error texts have no newline at the end.
  if (is_kubelet_failure(pieces_.begun())) return fail(kubelet_failure(pieces_.begun()));
  handler_.on_end();
}

void Reader::retry(const Error& error) {
  if (++breaks_ > kMostBreaks) return fail(error);
  open_after(breaks_ == 1 ? milliseconds(0) : backoff_.next(client_.transport().now()));
}

void Reader::open_after(milliseconds delay) {
  timer_ = client_.transport().after(delay, [weak = weak_from_this()] {
    if (auto self = weak.lock(); self && !self->is_stopped()) self->open();
  });
}

void Reader::finish() {
  close();
  unproven_ = false;  // after the end, the owner cannot answer a doubt
  seen_.accept();
  LinePiece rest;
  if (!pieces_.take_rest(rest) || !take_piece(rest)) return;
  hand_on();
}

class ReaderHandle : public LogStream {
 public:
  explicit ReaderHandle(std::shared_ptr<Reader> reader) : reader_(std::move(reader)) {}
  ~ReaderHandle() override { reader_->stop(); }
  void recall(Time time, std::string_view text) override { reader_->recall(time, text); }
  // A callback may destroy this object; the copy keeps the reader alive during the call.
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
