#include "kml/job/why/kueue_check.h"

#include "job/capacity/kueue_api.h"
#include "kml/job/capacity/workloads.h"
#include "kml/job/why/why.h"

namespace kml::job {

namespace {

bool certainly_lacks_kueue(kube::Client& client) try {
  const KueueApi kueue(client);
  return false;
} catch (const Error& error) {
  return error.http_status == 404;
}

}  // namespace

void KueueCheck::learn(const Json& job) {
  if (!lacks_kueue_ && is_held_in_queue(job)) lacks_kueue_ = certainly_lacks_kueue(client_);
}

void KueueCheck::correct(const Json& job, JobView& view) {
  if (view.state != State::waiting) return;
  learn(job);
  if (lacks_kueue_.value_or(false)) say_that_kueue_is_missing(job, view);
}

}  // namespace kml::job
