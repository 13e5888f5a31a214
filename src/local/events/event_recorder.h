#pragma once

#include <deque>
#include <string>
#include <unordered_map>

#include "kml/core/clock.h"
#include "local/loop/event_loop.h"
#include "local/store/store.h"

namespace kml::local {

/// Writes core/v1 Events. One that repeats is counted instead of written again. They are written at the end
/// of the loop's turn, so that no pod's start waits for them, and removed after an hour, as Kubernetes does.
/// What they say must never hold a secret's value.
class EventRecorder {
 public:
  EventRecorder(EventLoop& loop, Store& store, const Clock& clock);

  /// `type` is Normal or Warning; `component` is who says it, as "job-controller"; `related` is another
  /// object that has to do with it.
  void record(const Json& object, std::string_view type, std::string_view reason, std::string message,
              std::string_view component, const Json* related = nullptr);

  /// That one attempt of a job ended, once per pod and for as long as the job exists: `kml history` reads
  /// them.
  void record_attempt(const Json& job, const Json& pod, const Json& attempt);

  /// Removes events older than an hour, apart from those of record_attempt.
  void remove_old();

 private:
  void write_later(Json event);
  void write_all();

  EventLoop& loop_;
  Store& store_;
  const Clock& clock_;
  std::deque<Json> unwritten_;
  bool deferred_ = false;
  std::unordered_map<std::string, std::pair<std::string, std::string>> known_;  ///< what is said, and where
};

}  // namespace kml::local
