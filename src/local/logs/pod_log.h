#pragma once

#include <filesystem>
#include <map>
#include <set>

#include "kml/base/files.h"
#include "kml/local/http_message.h"
#include "local/logs/container_choice.h"
#include "local/loop/event_loop.h"
#include "local/store/store.h"

namespace kml::local {

/// Responds to GET .../pods/NAME/log from the files that the pods' shims write.
class PodLogs {
 public:
  PodLogs(EventLoop& loop, Store& store, const Clock& clock, std::filesystem::path folder);

  /// Returns 204 if the pod is not bound to a node yet. Throws 400 if the container has not started, or if
  /// the request must name it.
  HttpResponse read(const Json& pod, const HttpRequest& request);
  /// The log of a deleted pod; see KeptLogs. `pod` is "NAMESPACE/NAME".
  HttpResponse read_kept(const std::string& pod, const std::string& uid, const HttpRequest& request);

 private:
  class LogStream;
  HttpResponse answer(const std::string& pod, const std::string& uid, ContainerRun run,
                      const HttpRequest& request);
  void begin_to_watch(LogStream& stream);
  void stop_watching(LogStream& stream);
  void on_files_changed();
  void on_pod_changed(const StoreEvent& event);

  const Clock& clock_;
  std::filesystem::path folder_;
  Fd inotify_;
  std::set<LogStream*> follows_;
  /// streams by the inotify watch on their container's log folder
  std::map<int, std::set<LogStream*>> watched_;
};

}  // namespace kml::local
