#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "kml/local/http_message.h"
#include "local/logs/pod_log.h"
#include "local/loop/event_loop.h"

namespace kml::local {

/// WebSocket streams into running pods: exec, attach and portforward.
class PodStreams {
 public:
  PodStreams(EventLoop& loop, PodLogs& logs, std::filesystem::path folder);

  static bool offers(const std::string& subresource);
  /// Returns a 101 response with a session. Throws 400 for an invalid request, 500 if the container has
  /// ended, and 429 if too many streams are open.
  HttpResponse open(const std::string& subresource, const Json& pod, const HttpRequest& request);

 private:
  HttpResponse answer(const std::string& subresource, const Json& pod, const HttpRequest& request);
  std::unique_ptr<SocketSession> exec(const Json& pod, const HttpRequest& request);
  std::unique_ptr<SocketSession> attach(const Json& pod, const HttpRequest& request);
  HttpResponse forward_ports(const Json& pod, const HttpRequest& request);

  EventLoop& loop_;
  PodLogs& logs_;
  std::filesystem::path folder_;
  /// The number of open sessions, which each session increments while it exists.
  std::shared_ptr<size_t> open_ = std::make_shared<size_t>(0);
};

}  // namespace kml::local
