#include "engine/watching/patient_requests.h"

#include <algorithm>

#include "kml/base/error.h"
#include "kml/job/capacity/workloads.h"
#include "kml/job/control/control.h"

namespace kml::engine {

bool PatientRequests::try_request(const std::function<void()>& request) {
  if (client_.transport().now() < next_) return false;
  try {
    request();
  } catch (const Error& error) {
    if (refusal_of(error) != Refusal::passing) throw;
    options_.on_retry(error);
    next_ = client_.transport().now() + pause_;
    pause_ = std::min(pause_ * 2, kLongestPause);
    return false;
  }
  pause_ = kFirstPause;
  return true;
}

bool PatientRequests::try_request_unless_gone(const std::function<void()>& request) {
  return try_request([&] {
    try {
      request();
    } catch (const Error& error) {
      if (error.http_status != 404) throw;  // the watch will report the deletion
    }
  });
}

bool PatientRequests::try_cancel(const Json& job) {
  return try_request_unless_gone([&] {
    try {
      job::cancel(client_, job);
    } catch (const Error& error) {
      // If the job stayed in its queue, Kueue would start it later, and nothing would stop it. So the job is
      // deleted: it has no pod whose log could be lost.
      if (!job::is_held_in_queue(job) || refusal_of(error) == Refusal::passing) throw;
      job::remove(client_, job);
    }
  });
}

bool PatientRequests::try_remove(const Json& job) {
  return try_request_unless_gone([&] { job::remove(client_, job); });
}

}  // namespace kml::engine
