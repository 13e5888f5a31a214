#include "local/server/stop_jobs.h"

#include <algorithm>

#include "kml/api/object.h"
#include "kml/api/pod.h"
#include "kml/core/clock.h"
#include "local/store/object.h"

namespace kml::local {

namespace {

bool is_running(const Json& pod) {
  return !api::node_of(pod).empty() && !pod_has_ended(pod);
}

}  // namespace

StopJobs::StopJobs(EventLoop& loop, Store& store, std::function<void()> done)
    : store_(store), done_(std::move(done)), queue_(loop, [this](const std::string&) { end_all(); }) {
  store_.subscribe([this](const StoreEvent& event) {
    if (begun_ && event.kind == &kinds::pod) check();
  });
}

void StopJobs::end_all() {
  for (const api::ResourceKind* kind : {&kinds::job, &kinds::pytorchjob})
    for (const ObjectPtr& job : store_.list(*kind, ""))
      if (!is_finished(*job))
        store_.modify(*kind, namespace_of(*job), name_of(*job), [&](Json& next) {
          (kind == &kinds::job ? next["spec"] : next["spec"]["runPolicy"])["suspend"] = true;
        });
  for (const api::ResourceKind* kind : {&kinds::deployment, &kinds::replica_set})
    for (const ObjectPtr& object : store_.list(*kind, ""))
      if (api::owners_of(*object).empty())
        store_.modify(*kind, namespace_of(*object), name_of(*object),
                      [](Json& next) { next["spec"]["replicas"] = 0; });
  for (const ObjectPtr& pod : store_.list(kinds::pod, ""))
    if (api::owners_of(*pod).empty())
      store_.modify(kinds::pod, namespace_of(*pod), name_of(*pod),
                    [](Json& next) { mark_deleted(next, system_clock().now()); });
  begun_ = true;
  check();
}

void StopJobs::check() {
  const std::vector<ObjectPtr> pods = store_.list(kinds::pod, "");
  if (std::none_of(pods.begin(), pods.end(), [](const ObjectPtr& pod) { return is_running(*pod); })) done_();
}

}  // namespace kml::local
