#pragma once

#include <chrono>
#include <functional>

#include "engine/watching/job_maker.h"
#include "kml/base/json.h"
#include "kml/engine/watching/job_runner.h"
#include "kml/kube/client/client.h"

namespace kml::engine {

/// Requests of a runner that may fail for a while. If the server was unreachable or failing, sends nothing
/// for a while and returns false; the caller must then repeat the request.
class PatientRequests {
 public:
  /// The arguments must outlive this object.
  PatientRequests(kube::Client& client, const WatchOptions& options) : client_(client), options_(options) {}

  /// Returns whether the request succeeded. Throws any other error of `request`.
  bool try_request(const std::function<void()>& request);
  /// Like try_request(), for a request that changes a job. If the job no longer exists, treats the request as
  /// successful.
  bool try_request_unless_gone(const std::function<void()>& request);
  /// Like try_request_unless_gone(), for cancelling the job. If a job in a Kueue queue cannot be cancelled,
  /// deletes it.
  bool try_cancel(const Json& job);
  /// Like try_request_unless_gone(), for deleting a job whose kind kml cannot cancel.
  bool try_remove(const Json& job);

 private:
  kube::Client& client_;
  const WatchOptions& options_;
  http::SteadyTime next_{};
  std::chrono::milliseconds pause_ = kFirstPause;
};

}  // namespace kml::engine
