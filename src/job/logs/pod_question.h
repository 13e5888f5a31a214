#pragma once

#include <functional>
#include <memory>
#include <string>

#include "kml/base/json.h"
#include "kml/kube/client/client.h"

namespace kml::job {

/// Asks the server for a pod while other responses continue, because the pod known from the watch may be
/// outdated.
class PodQuestion {
 public:
  /// `pod` is null if the response has no pod.
  using Answer = std::function<void(int http_status, const Json& pod)>;

  explicit PodQuestion(http::Transport& transport) : transport_(transport) {}

  /// Calls `answer` once, unless drop() or another ask() is called first. `answer` itself may call drop().
  void ask(const std::string& namespace_name, const std::string& pod, Answer answer);
  void drop() { request_.reset(); }

 private:
  void take(const http::Response& response, const Error* broken);

  http::Transport& transport_;
  Answer answer_;
  std::string text_;
  std::unique_ptr<http::Stream> request_;
};

}  // namespace kml::job
