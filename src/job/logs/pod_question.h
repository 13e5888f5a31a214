#pragma once

#include <functional>
#include <memory>
#include <string>

#include "kml/base/json.h"
#include "kml/kube/client/client.h"

namespace kml::job {

/// Asks the server for a pod while other responses go on, because the one from the watch may be late.
class PodQuestion {
 public:
  /// `pod` is null if the answer has none.
  using Answer = std::function<void(int http_status, const Json& pod)>;

  explicit PodQuestion(http::Transport& transport) : transport_(transport) {}

  /// `answer` is called once, unless drop() or another question comes before; it may drop it itself.
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
