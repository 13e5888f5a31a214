#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kml/base/json.h"
#include "kml/net/http/transport.h"

namespace kml::tracking {

/// How to connect to an MLflow server. The URI must be http or https. Uses the same credentials as MLflow's
/// own client: MLFLOW_TRACKING_TOKEN, or MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD. The CAs to
/// trust are in the file MLFLOW_TRACKING_SERVER_CERT_PATH. Throws usage Error for any other kind of URI, and
/// if a credential would be sent to another machine over unencrypted HTTP.
http::Endpoint mlflow_endpoint(const std::string& uri,
                               const std::function<std::string(const char*)>& environment);

/// MLflow's REST API 2.0 (https://mlflow.org/docs/latest/api_reference/rest-api.html), as far as a push needs
/// it. All functions throw Error: `auth` for 401 and 403; `unreachable` for 429, for 5xx, and if there is no
/// response.
class MlflowClient {
 public:
  /// The maximum numbers in one request (mlflow/utils/validation.py in MLflow 3.17).
  static constexpr size_t kMostMetrics = 1000, kMostParams = 100, kMostTags = 100;

  /// `uri` is the transport's URI, for messages.
  MlflowClient(http::Transport& transport, std::string uri) : transport_(transport), uri_(std::move(uri)) {}

  const std::string& uri() const { return uri_; }

  /// The id of the experiment, which is created if it does not exist.
  std::string experiment(const std::string& name);
  /// The newest run in the experiment that has the tag and was not deleted: {"info": {"run_id", …}, "data":
  /// {"params": [{"key", "value"}], "tags": […], …}}.
  std::optional<Json> find_run(const std::string& experiment_id, const std::string& tag,
                               const std::string& value);
  /// Creates a run, and returns it in the same form as find_run(). `run` has the members for runs/create.
  Json create_run(const Json& run);
  /// Sends requests to runs/log-batch with these JSON bodies, several at the same time, in no particular
  /// order.
  void log_batches(const std::vector<std::string>& batches);
  void set_tag(const std::string& run_id, const std::string& key, const std::string& value);
  /// Stores a file on the server. `path` is relative to the server's artifact root. Replaces an earlier file.
  void put_artifact(const std::string& path, std::string content);
  /// `changes` has the members for runs/update.
  void update_run(const Json& changes);

 private:
  http::Request post(const std::string& path, const Json& body) const;
  http::Request post_text(const std::string& path, const std::string& body) const;
  http::Response send(const http::Request& request);
  Json call(const http::Request& request);
  Json take(const http::Response& response) const;
  Error fault(const http::Response& response, const Json& body) const;
  Error in_our_words(const Error& error) const;

  http::Transport& transport_;
  std::string uri_;
};

}  // namespace kml::tracking
