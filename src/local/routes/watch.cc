#include "local/routes/watch.h"

#include <charconv>
#include <deque>
#include <optional>

#include "kml/kube/objects/object.h"
#include "kml/kube/objects/status.h"
#include "local/api/api_error.h"
#include "local/tables/representation.h"

namespace kml::local {

namespace {

constexpr size_t kPiece = 32 << 10;
// How many events a client may leave unread. A client that falls behind further must list again, so that the
// server need not keep more events.
constexpr size_t kMaxPending = 20'000;
constexpr std::chrono::minutes kDefaultTimeout{40};
// How long until a bookmark is sent. Without bookmarks, a client that has received no event for a long time
// would resume from a revision that the store no longer has.
constexpr std::chrono::minutes kBookmarkAfter{1};

uint64_t parse_revision(const std::string& text) {
  uint64_t revision = 0;
  const char* end = text.data() + text.size();
  if (std::from_chars(text.data(), end, revision).ptr != end)
    throw bad_request("invalid resource version: " + text);
  return revision;
}

}  // namespace

class Watches::Watch : public BodySource {
 public:
  Watch(Watches& watches, Selection selection, const HttpRequest& request)
      : watches_(watches),
        selection_(std::move(selection)),
        form_(selection_.kind(), request),
        bookmarks_(request.is_true("allowWatchBookmarks")) {
    const std::string revision = request.parameter("resourceVersion");
    const bool initial_events = request.is_true("sendInitialEvents");
    if (initial_events || revision.empty() || revision == "0")
      begin_with_state(initial_events);
    else
      begin_after(parse_revision(revision));
    const std::string seconds = request.parameter("timeoutSeconds");
    const std::chrono::seconds timeout =
        seconds.empty() ? kDefaultTimeout
                        : std::chrono::seconds(std::min<uint64_t>(parse_revision(seconds), 86'400));
    timeout_ = watches_.loop_.after(timeout, [this] {
      timeout_.reset();
      end();
    });
    watches_.watches_.insert(this);
  }

  ~Watch() override {
    watches_.watches_.erase(this);
    if (timeout_) watches_.loop_.cancel(*timeout_);
    if (bookmark_timer_) watches_.loop_.cancel(*bookmark_timer_);
  }

  Next read(std::string& piece) override {
    while (!pending_.empty() && piece.size() < kPiece) {
      write(piece, pending_.front());
      pending_.pop_front();
    }
    if (!piece.empty()) return Next::more;
    return over_ ? Next::end : Next::wait;
  }

  void tell(const StoreEvent& event) {
    if (over_ || event.kind != &selection_.kind()) return;
    const size_t had = pending_.size();
    add(event);
    if (pending_.size() > kMaxPending) {
      pending_.clear();
      end_with_error(410, "Expired", "the client read this watch too slowly");
    }
    if (pending_.size() != had)
      wake();
    else if (bookmarks_ && !bookmark_timer_)
      bookmark_timer_ = watches_.loop_.after(kBookmarkAfter, [this] { send_bookmark(); });
  }

  void end() {
    if (std::exchange(over_, true)) return;
    if (bookmarks_) pending_.push_back({"BOOKMARK", bookmark(false)});
    wake();
  }

 private:
  struct Pending {
    const char* type;
    ObjectPtr object;
  };

  void begin_with_state(bool mark_end) {
    for (ObjectPtr& object : watches_.store_.list(selection_.kind(), selection_.namespace_name()))
      if (selection_.matches(*object)) pending_.push_back({"ADDED", std::move(object)});
    if (mark_end && bookmarks_) pending_.push_back({"BOOKMARK", bookmark(/*initial_events_end=*/true)});
  }

  void begin_after(uint64_t revision) {
    auto events = watches_.store_.events_since(revision);
    if (!events) {
      end_with_error(410, "Expired", "too old resource version: " + std::to_string(revision));
      return;
    }
    for (const StoreEvent& event : *events)
      if (event.kind == &selection_.kind()) add(event);
  }

  /// If an object no longer matches, reports it as deleted; if it starts to match, reports it as added.
  void add(const StoreEvent& event) {
    const bool matched = event.previous && selection_.matches(*event.previous);
    const bool matches = event.change != Change::deleted && selection_.matches(*event.object);
    if (matches)
      pending_.push_back({matched ? "MODIFIED" : "ADDED", event.object});
    else if (matched)
      pending_.push_back({"DELETED", event.object});
  }

  void write(std::string& piece, const Pending& event) {
    piece += R"({"type":")";
    piece += event.type;
    piece += R"(","object":)";
    if (api::kind_name(*event.object) == "Status") {
      piece += compact_text(*event.object);
    } else {
      piece += form_.of_object(*event.object, watches_.clock_.now());
      form_.leave_columns_out();
    }
    piece += "}\n";
  }

  ObjectPtr bookmark(bool initial_events_end) const {
    Json object = {{"kind", selection_.kind().kind},
                   {"apiVersion", selection_.kind().api_version()},
                   {"metadata", {{"resourceVersion", std::to_string(watches_.store_.revision())}}}};
    if (initial_events_end) object["metadata"]["annotations"]["k8s.io/initial-events-end"] = "true";
    return std::make_shared<const Json>(std::move(object));
  }

  void send_bookmark() {
    bookmark_timer_.reset();
    pending_.push_back({"BOOKMARK", bookmark(false)});
    wake();
  }

  void end_with_error(int code, std::string_view reason, std::string message) {
    pending_.push_back(
        {"ERROR", std::make_shared<const Json>(api::failure_status(code, reason, std::move(message)))});
    over_ = true;
  }

  void wake() {
    if (on_ready) on_ready();
  }

  Watches& watches_;
  Selection selection_;
  Representation form_;
  bool bookmarks_;
  bool over_ = false;
  std::deque<Pending> pending_;
  std::optional<EventLoop::Timer> timeout_, bookmark_timer_;
};

Watches::Watches(EventLoop& loop, Store& store, const Clock& clock)
    : loop_(loop), store_(store), clock_(clock) {
  store_.subscribe([this](const StoreEvent& event) {
    for (Watch* watch : watches_) watch->tell(event);
  });
}

void Watches::end_all() {
  for (Watch* watch : watches_) watch->end();
}

HttpResponse Watches::open(const ApiPath& path, const HttpRequest& request) {
  HttpResponse response;
  response.stream = std::make_unique<Watch>(*this, Selection(path, request), request);
  return response;
}

}  // namespace kml::local
