#pragma once

#include <deque>
#include <string>
#include <unordered_map>

#include "kml/base/clock.h"
#include "local/loop/event_loop.h"
#include "local/store/store.h"

namespace kml::local {

/// Writes core/v1 Events. If an event is repeated, increments the count of the first one. Events are written
/// at the end of the loop's turn, so that starting a pod need not wait for them. Those of record() are
/// deleted after an hour, as in Kubernetes. A message must never contain a secret's value.
class EventRecorder {
 public:
  EventRecorder(EventLoop& loop, Store& store, const Clock& clock);

  /// `type` is Normal or Warning. `component` is the source of the event, such as "job-controller". `related`
  /// is a second object to which the event refers.
  void record(const Json& object, std::string_view type, std::string_view reason, std::string message,
              std::string_view component, const Json* related = nullptr);

  /// Records the end of a job's attempt, once per pod. The record is kept for as long as the job exists; `kml
  /// history` reads it.
  void record_attempt(const Json& job, const Json& pod, const Json& attempt);
  bool has_attempt(const Json& job, const Json& pod) const;

  /// Deletes events older than an hour, except those written by record_attempt().
  void remove_old();

 private:
  void write_later(Json event);
  void defer();
  void write_some();

  EventLoop& loop_;
  Store& store_;
  const Clock& clock_;
  std::deque<Json> unwritten_;
  bool deferred_ = false;
  /// The namespace and name of each remembered event, by the event's content.
  std::unordered_map<std::string, std::pair<std::string, std::string>> known_;
};

}  // namespace kml::local
