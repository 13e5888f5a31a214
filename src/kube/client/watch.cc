// A loop: list, watch, then watch again from the last resourceVersion. If changes may have been missed (after
// status 410, or an incomplete line), the next step is a list, which KnownObjects turns into changes. Any
// callback may destroy the watch, so timers and streams hold weak pointers, and each step checks `stopped_`
// after it has called the handler.

#include "kml/kube/client/watch.h"

#include "kml/base/memory.h"
#include "kml/base/text.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/status.h"
#include "kube/client/known_objects.h"
#include "kube/client/line_pieces.h"
#include "kube/client/request_parts.h"
#include "kube/client/retry.h"
#include "kube/client/weak_stream.h"

namespace kml::kube {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// How long the server should keep a watch open: this time, plus a random part of up to the same length.
constexpr seconds kShortestWatch{300};
/// How long after its planned end a silent stream is abandoned.
constexpr seconds kGrace{30};
/// How long a streamed list may take.
constexpr seconds kLongestList{30};
/// If a watch ends sooner than this without any event, it is not reopened at once.
constexpr seconds kQuickEnd{1};

/// Whether a retry can help.
bool is_passing(const Error& error) {
  return error.http_status == 0
             ? error.code == ErrorCode::unreachable
             : error.http_status == 410 || error.http_status == 429 || error.http_status >= 500;
}

/// Parses a line of a watch: {"type": …, "object": …}. For any other line, throws Error with the code
/// unreachable, because the line may be incomplete or come from a proxy.
Json parsed_event(std::string_view line) {
  try {
    Json event = parse_json(line, "a watch");
    const std::string type = string_at(event, {"type"});
    const bool known = type == "ADDED" || type == "MODIFIED" || type == "DELETED" || type == "BOOKMARK";
    if (type != "ERROR" && (!known || string_at(event, {"object", "metadata", "resourceVersion"}).empty()))
      throw Error(ErrorCode::failure, "a watch returned something that is not an event");
    return event;
  } catch (Error& error) {
    if (error.reason != kTooLarge) error.code = ErrorCode::unreachable;
    throw;
  }
}

/// Decides how long each request of a watch may last, and when the next one follows.
class WatchPace {
 public:
  explicit WatchPace(Random random) : random_(std::move(random)), backoff_(random_) {}

  /// How long to ask the server to keep the watch open.
  seconds length() const {
    return kShortestWatch + std::chrono::duration_cast<seconds>(kShortestWatch * random_());
  }
  void opened(http::SteadyTime now) {
    opened_ = now;
    brought_event_ = false;
  }
  void brought_event() { brought_event_ = true; }
  /// Call this when a response has ended. Returns whether the next request can follow at once, because the
  /// response brought events or lasted long enough. In that case the delays start over: if connections are
  /// cut again and again, ever longer delays would let the owner fall behind.
  bool ended(bool is_answered, http::SteadyTime now) {
    const bool was_well = is_answered && (brought_event_ || now - opened_ >= kQuickEnd);
    if (was_well) backoff_.reset();
    return was_well;
  }
  milliseconds delay(http::SteadyTime now) { return backoff_.next(now); }

 private:
  Random random_;
  Backoff backoff_;
  http::SteadyTime opened_{};
  bool brought_event_ = false;  ///< since opened()
};

class Reflector : public std::enable_shared_from_this<Reflector> {
 public:
  Reflector(Client& client, const api::ResourceKind& kind, std::string namespace_name, WatchOptions options,
            WatchHandler handler)
      : client_(client),
        kind_(kind),
        namespace_(std::move(namespace_name)),
        options_(std::move(options)),
        handler_(std::move(handler)),
        pace_(options_.random ? options_.random : random_fraction) {}

  void start() { run_after(milliseconds(0), &Reflector::begin); }
  void stop() {
    stopped_ = true;
    stream_.reset();
    timer_.reset();
  }
  void take(std::string_view data);
  void end(const http::Response& response, const Error* broken);

 private:
  void run_after(milliseconds delay, void (Reflector::*step)());
  bool lists_instead();
  void begin() { streams_list_ ? open() : list(); }
  void list();
  void open();
  void take_event(const std::string& type, const Json& object);
  void take_listed(const std::string& type, const Json& object);
  void end_list(std::string resource_version);
  void give_up_silent_stream();
  void fail_or_retry(const Error& error, std::optional<seconds> server_delay);
  void update(const Json& object) { known_.update(object, on_change_); }

  Client& client_;
  const api::ResourceKind& kind_;
  const std::string namespace_;
  const WatchOptions options_;
  const WatchHandler handler_;
  const KnownObjects::OnChange on_change_ = [this](Change what, const Json& object) {
    if (!stopped_) handler_.on_change(what, object);
  };

  WatchPace pace_;
  KnownObjects known_;
  LinePieces events_{kLargestObject};
  std::string resource_version_;  ///< the version to watch from; empty if a list request must come first
  bool streams_list_ = true;      ///< whether the list arrives as the first events of a watch
  std::unique_ptr<http::Stream> stream_;
  std::unique_ptr<http::Timer> timer_;
  bool synced_ = false;
  bool stopped_ = false;
};

void Reflector::run_after(milliseconds delay, void (Reflector::*step)()) {
  timer_ = client_.transport().after(delay, [weak = weak_from_this(), step] {
    if (auto self = weak.lock(); self && !self->stopped_) (*self.*step)();
  });
}

void Reflector::list() {
  ListResult result;
  try {
    result =
        client_.list(kind_, namespace_,
                     {.label_selector = options_.label_selector, .field_selector = options_.field_selector});
  } catch (const Error& error) {
    return fail_or_retry(error, {});
  }
  known_.begin_list();
  for (const Json& item : result.items) update(item);
  end_list(std::move(result.resource_version));
  if (!stopped_) open();
}

void Reflector::end_list(std::string resource_version) {
  resource_version_ = std::move(resource_version);
  known_.end_list(on_change_);
  if (!stopped_ && !std::exchange(synced_, true)) handler_.on_synced();
}

void Reflector::open() {
  const seconds limit = pace_.length();
  Query query(kind_.path(namespace_));
  query.add("watch", "true").add("allowWatchBookmarks", "true");
  if (resource_version_.empty())
    query.add("sendInitialEvents", "true").add("resourceVersionMatch", "NotOlderThan");
  else
    query.add("resourceVersion", resource_version_);
  query.add("timeoutSeconds", std::to_string(limit.count()));
  query.add_if("labelSelector", options_.label_selector).add_if("fieldSelector", options_.field_selector);
  pace_.opened(client_.transport().now());
  events_.clear();
  if (resource_version_.empty()) known_.begin_list();
  stream_ = client_.transport().stream({.path = query.text(), .headers = {{"Accept", "application/json"}}},
                                       weak_handler(weak_from_this()));
  run_after(resource_version_.empty() ? kLongestList : limit + kGrace, &Reflector::give_up_silent_stream);
}

void Reflector::take(std::string_view data) {
  events_.feed(data);
  LinePiece line;
  while (!stopped_ && stream_ && events_.next(line)) {
    if (!line.ends)
      return fail_or_retry(too_large("an event of the watch of " + std::string(kind_.plural),
                                     "it has more than " + size_text(kLargestObject)),
                           {});
    if (line.text.empty()) continue;
    Json event;
    try {
      event = parsed_event(line.text);
    } catch (const Error& error) {
      // It is unknown which changes were missed, so the next step is a list.
      resource_version_.clear();
      return fail_or_retry(error, {});
    }
    const std::string type = string_at(event, {"type"});
    Json& object = event["object"];
    if (type != "ERROR") set_kind(object, kind_);
    take_event(type, object);
  }
}

void Reflector::take_event(const std::string& type, const Json& object) {
  if (type == "ERROR") {
    const Error error =
        api::error_from_response("the watch of " + std::string(kind_.plural) + " ended",
                                 static_cast<int>(int_at(object, {"code"}, 500)), object.dump());
    return fail_or_retry(error, limited_pause(int_at(object, {"details", "retryAfterSeconds"})));
  }
  pace_.brought_event();
  if (resource_version_.empty()) return take_listed(type, object);
  resource_version_ = api::revision_of(object);
  if (type == "DELETED")
    known_.remove(object, on_change_);
  else if (type != "BOOKMARK")
    update(object);
}

void Reflector::take_listed(const std::string& type, const Json& object) {
  if (type == "ADDED") update(object);
  if (api::annotation_of(object, "k8s.io/initial-events-end") != "true") return;
  run_after(2 * kShortestWatch + kGrace, &Reflector::give_up_silent_stream);
  end_list(api::revision_of(object));
}

void Reflector::end(const http::Response& response, const Error* broken) {
  stream_.reset();
  if (lists_instead()) return;
  const bool answered = response.status / 100 == 2;
  const auto now = client_.transport().now();
  const bool was_well = pace_.ended(answered, now);
  if (broken && (!was_well || !is_passing(*broken))) return fail_or_retry(*broken, {});
  if (!broken && !answered)
    return fail_or_retry(response_error("cannot watch " + std::string(kind_.plural), response),
                         retry_after(response));
  run_after(was_well ? milliseconds(0) : pace_.delay(now), &Reflector::open);
  if (broken && handler_.on_retry) handler_.on_retry(*broken, milliseconds(0));
}

/// Whether to request a list instead. Some servers cannot stream lists, and if a server fails, a list
/// returns a more helpful error.
bool Reflector::lists_instead() {
  if (synced_ || !std::exchange(streams_list_, false)) return false;
  run_after(milliseconds(0), &Reflector::list);
  return true;
}

void Reflector::give_up_silent_stream() {
  fail_or_retry(
      Error(ErrorCode::unreachable, "the watch of " + std::string(kind_.plural) + " stopped sending data"),
      {});
}

void Reflector::fail_or_retry(const Error& error, std::optional<seconds> server_delay) {
  stream_.reset();
  if (lists_instead()) return;
  if ((!synced_ && !options_.is_patient) || !is_passing(error)) {
    stop();
    return handler_.on_failure(error);
  }
  if (error.http_status == 410) resource_version_.clear();
  milliseconds delay = pace_.delay(client_.transport().now());
  if (server_delay) delay = std::max<milliseconds>(delay, *server_delay);
  run_after(delay, resource_version_.empty() ? &Reflector::begin : &Reflector::open);
  if (handler_.on_retry) handler_.on_retry(error, delay);
}

class ReflectorHandle : public Watch {
 public:
  explicit ReflectorHandle(std::shared_ptr<Reflector> reflector) : reflector_(std::move(reflector)) {
    reflector_->start();
  }
  ~ReflectorHandle() override { reflector_->stop(); }

 private:
  std::shared_ptr<Reflector> reflector_;
};

}  // namespace

std::unique_ptr<Watch> watch(Client& client, const api::ResourceKind& kind, std::string namespace_name,
                             WatchOptions options, WatchHandler handler) {
  return std::make_unique<ReflectorHandle>(std::make_shared<Reflector>(
      client, kind, std::move(namespace_name), std::move(options), std::move(handler)));
}

}  // namespace kml::kube
