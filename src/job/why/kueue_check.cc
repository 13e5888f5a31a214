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

void KueueCheck::correct(const Json& job, JobView& view) {
  if (view.state != State::waiting || !is_held_in_queue(job)) return;
  if (!lacks_kueue_) lacks_kueue_ = certainly_lacks_kueue(client_);
  if (*lacks_kueue_) say_that_kueue_is_missing(job, view);
}

}  // namespace kml::job
