#pragma once

#include <deque>
#include <string>
#include <unordered_map>

#include "kml/base/clock.h"
#include "local/loop/event_loop.h"
#include "local/store/store.h"

namespace kml::local {

/// Writes core/v1 Events. A repeated event increments the count of the first one. Events are written at the
/// end of the loop's turn, so that starting a pod does not wait for them, and are removed after an hour, as
/// in Kubernetes. Messages must never contain a secret's value.
class EventRecorder {
 public:
  EventRecorder(EventLoop& loop, Store& store, const Clock& clock);

  /// `type` is Normal or Warning. `component` is the event's source, such as "job-controller". `related` is a
  /// second object that the event concerns.
  void record(const Json& object, std::string_view type, std::string_view reason, std::string message,
              std::string_view component, const Json* related = nullptr);

  /// Records the end of one attempt of a job, once per pod. The record is kept as long as the job exists;
  /// `kml history` reads it.
  void record_attempt(const Json& job, const Json& pod, const Json& attempt);
  bool has_attempt(const Json& job, const Json& pod) const;

  /// Removes events older than an hour, except those of record_attempt.
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
  /// The namespace and name of each known event, by the event's content.
  std::unordered_map<std::string, std::pair<std::string, std::string>> known_;
};

}  // namespace kml::local
