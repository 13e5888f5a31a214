#pragma once

#include <unordered_set>

#include "local/api/selection.h"
#include "local/http/http_message.h"
#include "local/loop/event_loop.h"
#include "local/store/store.h"

namespace kml::local {

/// The watches that are open, fed by the store's events.
class Watches {
 public:
  Watches(EventLoop& loop, Store& store, const Clock& clock);

  /// GET of a collection with `watch`: initial state where no resourceVersion is given (or
  /// sendInitialEvents), else the events after it; too old a one gets the ERROR event 410 Expired.
  HttpResponse open(const ApiPath& path, const HttpRequest& request);

  bool any() const { return !watches_.empty(); }
  /// As at the end of their time.
  void end_all();

 private:
  class Watch;
  EventLoop& loop_;
  Store& store_;
  const Clock& clock_;
  std::unordered_set<Watch*> watches_;
};

}  // namespace kml::local
