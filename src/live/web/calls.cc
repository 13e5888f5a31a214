#include "live/web/calls.h"

#include <algorithm>
#include <utility>

#include "kml/base/clean.h"
#include "kml/base/json.h"
#include "live/model/log_metrics.h"
#include "live/web/door.h"
#include "live/web/running.h"

namespace kml::live {

using local::BodySource;
using local::HttpResponse;

namespace {

constexpr int kMostRunning = 16;

HttpResponse streamed(std::string content_type, std::unique_ptr<BodySource> body) {
  HttpResponse response{.content_type = std::move(content_type), .stream = std::move(body)};
  protect(response);
  return response;
}

}  // namespace

/// A response body that is made once the process has ended.
class Calls::AnswerBody : public BodySource {
 public:
  AnswerBody(std::shared_ptr<RunningCommand> running, std::function<std::string(const Outcome&)> body_of)
      : running_(std::move(running)), body_of_(std::move(body_of)) {}
  ~AnswerBody() override { *place_ = nullptr; }
  AnswerBody(const AnswerBody&) = delete;
  AnswerBody& operator=(const AnswerBody&) = delete;

  /// A pointer to this body, which becomes null after the client has hung up.
  std::shared_ptr<AnswerBody*> place() const { return place_; }

  Next read(std::string& piece) override {
    if (!running_->has_ended()) return Next::wait;
    if (!is_made_) body_ = body_of_(running_->outcome());
    is_made_ = true;
    constexpr size_t kPiece = 64 << 10;
    piece = body_.substr(sent_, kPiece);
    sent_ += piece.size();
    return sent_ == body_.size() ? Next::end : Next::more;
  }

 private:
  std::shared_ptr<RunningCommand> running_;
  std::function<std::string(const Outcome&)> body_of_;
  std::shared_ptr<AnswerBody*> place_ = std::make_shared<AnswerBody*>(this);
  std::string body_;
  size_t sent_ = 0;
  bool is_made_ = false;
};

/// The lines of a process as events. While the client reads slowly, the process waits.
class Calls::LinesBody : public BodySource {
 public:
  explicit LinesBody(std::shared_ptr<RunningCommand> running) : running_(std::move(running)) {}

  Next read(std::string& piece) override {
    take_lines();
    if (!lines_.empty()) {
      piece = "event: lines\ndata: " + json_text(std::exchange(lines_, Json::array())) + "\n\n";
      if (!metrics_.empty())
        piece += "event: metrics\ndata: " + json_text(std::exchange(metrics_, Json::array())) + "\n\n";
      running_->pause(false);
      return Next::more;
    }
    if (!running_->has_ended()) return Next::wait;
    const Outcome& outcome = running_->outcome();
    piece = "event: end\ndata: " +
            json_text({{"exitCode", outcome.exit_code}, {"errors", without_colours(clean(outcome.errors))}}) +
            "\n\n";
    return Next::end;
  }

  void hold_if_full() {
    constexpr size_t kMost = 256 << 10;
    if (running_->outcome().out.size() > kMost) running_->pause(true);
  }

 private:
  void take_lines() {
    std::string& out = running_->outcome().out;
    constexpr size_t kLongest = 64 << 10;
    size_t end = out.rfind('\n');
    if (end == std::string::npos && (running_->has_ended() || out.size() > kLongest)) end = out.size();
    if (end == std::string::npos || out.empty()) return;
    const std::string text = without_colours(clean(out.substr(0, end)));
    out.erase(0, end + 1);
    for (size_t begin = 0; begin <= text.size();) {
      const size_t stop = std::min(text.find('\n', begin), text.size());
      lines_.push_back(text.substr(begin, stop - begin));
      for (const auto& [name, value] : shown_metrics(lines_.back().get_ref<const std::string&>()))
        metrics_.push_back({name, value});
      begin = stop + 1;
    }
  }

  std::shared_ptr<RunningCommand> running_;
  Json lines_ = Json::array(), metrics_ = Json::array();
};

std::shared_ptr<RunningCommand> Calls::start(const std::vector<std::string>& argv) {
  if (*running_ >= kMostRunning) return nullptr;
  return std::make_shared<RunningCommand>(server_, argv, running_);
}

HttpResponse Calls::ask(const std::vector<std::string>& argv,
                        std::function<std::string(const Outcome&)> body_of, bool ends_alone) {
  const std::shared_ptr<RunningCommand> running = start(argv);
  if (!running) return text_response(503, "kml ui: too many requests at the same time");
  auto body = std::make_unique<AnswerBody>(running, std::move(body_of));
  running->begin([place = body->place(), kept = ends_alone ? running : nullptr]() mutable {
    if (*place && (*place)->on_ready) (*place)->on_ready();
    if (kept && kept->has_ended()) kept.reset();
  });
  return streamed("application/json", std::move(body));
}

HttpResponse Calls::follow(const std::vector<std::string>& argv) {
  const std::shared_ptr<RunningCommand> running = start(argv);
  if (!running) return text_response(503, "kml ui: too many requests at the same time");
  auto body = std::make_unique<LinesBody>(running);
  running->begin([body = body.get()] {
    body->hold_if_full();
    if (body->on_ready) body->on_ready();
  });
  return streamed("text/event-stream", std::move(body));
}

}  // namespace kml::live
