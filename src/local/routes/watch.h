#pragma once

#include <unordered_set>

#include "local/api/selection.h"
#include "local/http/http_message.h"
#include "local/loop/event_loop.h"
#include "local/store/store.h"

namespace kml::local {

/// The open watches, which get the store's events.
class Watches {
 public:
  Watches(EventLoop& loop, Store& store, const Clock& clock);

  /// Answers a GET of a collection with `watch`: with the initial state if no resourceVersion is given (or
  /// sendInitialEvents is set), otherwise with the events after that version. A version that is too old gets
  /// the ERROR event 410 Expired.
  HttpResponse open(const ApiPath& path, const HttpRequest& request);

  bool any() const { return !watches_.empty(); }
  /// Ends all watches as if their timeout had passed.
  void end_all();

 private:
  class Watch;
  EventLoop& loop_;
  Store& store_;
  const Clock& clock_;
  std::unordered_set<Watch*> watches_;
};

}  // namespace kml::local
