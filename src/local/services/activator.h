#pragma once

#include <optional>

#include "local/events/event_recorder.h"
#include "local/loop/folder_watch.h"
#include "local/loop/work_queue.h"
#include "local/services/routes.h"
#include "local/store/store.h"

namespace kml::local {

/// Scales a Deployment with the annotation api::kIdle to zero when the proxy reports that its Service is not
/// used, and back to its number of replicas when a request waits. Does nothing during an update.
class Activator {
 public:
  Activator(EventLoop& loop, Store& store, EventRecorder& events, const PodFolder& proxy);

  void recover();

 private:
  void look();
  void rest(const Json& deployment);
  void wake(const Json& deployment);

  EventLoop& loop_;
  Store& store_;
  EventRecorder& events_;
  PodFolder folder_;
  std::optional<FolderWatch>
      watch_;  ///< watches the proxy's reports; empty until a Deployment has the annotation
  WorkQueue queue_;
};

}  // namespace kml::local
