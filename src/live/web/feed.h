#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "kml/local/http_message.h"
#include "live/model/tables.h"

namespace kml::live {

/// Sends the changes, as server-sent events, to the pages that listen. Each event `changes` has a list of
/// changes, in the form of line_of(). A new page first gets the event `all`, which drops all rows, and then
/// changes that set everything.
class Broadcast {
 public:
  /// `everything` returns the changes that set everything.
  explicit Broadcast(std::function<std::vector<Change>()> everything) : everything_(std::move(everything)) {}
  Broadcast(const Broadcast&) = delete;
  Broadcast& operator=(const Broadcast&) = delete;

  void send(const std::vector<Change>& changes);
  /// The body of the response to a new listener. This object must outlive it.
  std::unique_ptr<local::BodySource> listen();
  /// Sends a comment, so that neither end takes a quiet connection for a dead one.
  void beat();

 private:
  class Listener;

  std::function<std::vector<Change>()> everything_;
  std::set<Listener*> listeners_;
};

/// The changes as events of at most about 64 KiB.
std::deque<std::string> events_of(const std::vector<Change>& changes);

}  // namespace kml::live
