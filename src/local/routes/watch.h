#pragma once

#include <unordered_set>

#include "kml/local/http_message.h"
#include "local/api/selection.h"
#include "local/loop/event_loop.h"
#include "local/store/store.h"

namespace kml::local {

/// The open watches; each receives the store's events.
class Watches {
 public:
  Watches(EventLoop& loop, Store& store, const Clock& clock);

  /// Handles a GET of a collection with `watch`. Without a resourceVersion, with "0" or with
  /// sendInitialEvents, the watch starts with the current objects; otherwise with the events after that
  /// version. If that version is too old, the client receives an ERROR event with 410 Expired.
  HttpResponse open(const ApiPath& path, const HttpRequest& request);

  bool any() const { return !watches_.empty(); }
  /// Ends all watches as if they had timed out.
  void end_all();

 private:
  class Watch;
  EventLoop& loop_;
  Store& store_;
  const Clock& clock_;
  std::unordered_set<Watch*> watches_;
};

}  // namespace kml::local
