#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "local/admission/admission.h"
#include "local/admission/images.h"
#include "local/logs/pod_log.h"
#include "local/routes/deletion.h"
#include "local/routes/watch.h"
#include "local/routes/writes.h"
#include "local/streams/pod_streams.h"
#include "local/usage/metrics.h"

namespace kml::local {

/// The Kubernetes API on top of a store: authenticates requests and responds to them. Does not handle
/// sockets.
class ApiServer {
 public:
  /// `user` is the user to whom the token belongs.
  ApiServer(EventLoop& loop, Store& store, const Clock& clock, const std::filesystem::path& folder,
            std::string token, std::string user);

  /// Returns 401 if the bearer token is not this server's.
  HttpResponse check_token(const HttpRequest& request) const;
  /// Never throws: an error becomes a metav1.Status.
  HttpResponse handle(const HttpRequest& request);

  /// Adds the text that `trouble` returns, if any, to each response as a warning.
  void warn_of(std::function<std::string()> trouble) { trouble_ = std::move(trouble); }
  /// Whether clients have open watches. When end_watches() ends these, the clients connect again, and see new
  /// warnings.
  bool is_watched() const { return watches_.any(); }
  void end_watches() { watches_.end_all(); }

 private:
  HttpResponse answer(const HttpRequest& request);
  HttpResponse dispatch(const HttpRequest& request);
  HttpResponse read(const ApiPath& path, const HttpRequest& request);
  HttpResponse read_subresource(const ApiPath& path, const HttpRequest& request);

  Store& store_;
  const Clock& clock_;
  std::string token_, user_;
  Images images_;
  Admission admission_;
  Deletion deletion_;
  Writes writes_;
  std::function<std::string()> trouble_ = [] { return std::string(); };
  Watches watches_;
  PodLogs logs_;
  PodStreams streams_;
  Metrics metrics_;
};

}  // namespace kml::local
