#include "live/web/feed.h"

namespace kml::live {

namespace {

/// How many events may wait for a listener that reads slowly. If more are waiting, it gets everything again
/// instead.
constexpr size_t kMostWaiting = 256;
constexpr size_t kEventSize = 64 << 10;

}  // namespace

std::deque<std::string> events_of(const std::vector<Change>& changes) {
  std::deque<std::string> events;
  std::string list;
  const auto end_event = [&] {
    if (!list.empty()) events.push_back("event: changes\ndata: [" + list + "]\n\n");
    list.clear();
  };
  for (const Change& change : changes) {
    if (!list.empty()) list += ',';
    list += line_of(change);
    if (list.size() >= kEventSize) end_event();
  }
  end_event();
  return events;
}

class Broadcast::Listener : public local::BodySource {
 public:
  explicit Listener(Broadcast& broadcast) : broadcast_(broadcast) { broadcast_.listeners_.insert(this); }
  ~Listener() override { broadcast_.listeners_.erase(this); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  Next read(std::string& piece) override {
    if (needs_all_) begin();
    if (waiting_.empty()) return Next::wait;
    piece = std::move(waiting_.front());
    waiting_.pop_front();
    if (waiting_.empty()) most_ = kMostWaiting;
    return Next::more;
  }

  void add(const std::deque<std::string>& events) {
    if (needs_all_) return;
    waiting_.insert(waiting_.end(), events.begin(), events.end());
    if (waiting_.size() > most_) {
      waiting_.clear();
      needs_all_ = true;
    }
    if (on_ready) on_ready();
  }

 private:
  void begin() {
    needs_all_ = false;
    waiting_ = events_of(broadcast_.everything_());
    waiting_.push_front("event: all\ndata: {}\n\n");
    most_ = waiting_.size() + kMostWaiting;
  }

  Broadcast& broadcast_;
  std::deque<std::string> waiting_;
  size_t most_ = kMostWaiting;
  bool needs_all_ = true;
};

void Broadcast::send(const std::vector<Change>& changes) {
  if (changes.empty() || listeners_.empty()) return;
  const std::deque<std::string> events = events_of(changes);
  for (Listener* listener : listeners_) listener->add(events);
}

std::unique_ptr<local::BodySource> Broadcast::listen() {
  return std::make_unique<Listener>(*this);
}

void Broadcast::beat() {
  for (Listener* listener : listeners_) listener->add({": still here\n\n"});
}

}  // namespace kml::live
