#include "tracking/mlflow/mlflow_client.h"

#include <algorithm>
#include <chrono>
#include <span>
#include <utility>

#include "kml/base/error.h"
#include "kml/base/memory.h"
#include "kml/base/text.h"
#include "kml/net/http/advice.h"

namespace kml::tracking {

namespace {

const std::string kApi = "/api/2.0/mlflow/";

constexpr const char* kHowToLogIn =
    "set MLFLOW_TRACKING_TOKEN, or MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD";

std::string text_of(const http::Response& response, const Json& body) {
  constexpr size_t kLongest = 300;
  const std::string text = string_at(body, {"message"}, response.body);
  return std::string(trim(text.substr(0, text.find('\n')).substr(0, kLongest)));
}

/// "mlflow.example:5000" of "https://mlflow.example:5000/path".
std::string authority_of(const std::string& uri) {
  const size_t begin = uri.find("://") + 3;
  return uri.substr(begin, uri.find('/', begin) - begin);
}

}  // namespace

http::Request MlflowClient::post_text(const std::string& path, const std::string& body) const {
  return {
      .method = "POST", .path = kApi + path, .headers = {{"Content-Type", "application/json"}}, .body = body};
}

http::Request MlflowClient::post(const std::string& path, const Json& body) const {
  return post_text(path, compact_text(body));
}

Error MlflowClient::in_our_words(const Error& error) const {
  if (error.code != ErrorCode::unreachable) return error;
  const Error advised = http::with_advice(
      error,
      {.certificate = "set MLFLOW_TRACKING_SERVER_CERT_PATH to the certificate of the server's certificate "
                      "authority",
       .other = "check that the server is running and that this machine can reach it; then run the command "
                "again"});
  const bool is_of_proxy = error.message.starts_with(http::kProxyMessage);
  return {ErrorCode::unreachable, "no response from MLflow at " + uri_,
          is_of_proxy || error.why.empty() ? message_and_why(error) : error.why, advised.fix};
}

Error MlflowClient::fault(const http::Response& response, const Json& body) const {
  const std::string text = text_of(response, body), status = std::to_string(response.status);
  Error error(ErrorCode::failure, "MLflow at " + uri_ + " refused a request", text);
  error.http_status = response.status;
  error.reason = string_at(body, {"error_code"});
  if (response.status == 401) {
    error.code = ErrorCode::auth;
    error.fix = kHowToLogIn;
  } else if (response.status == 403 && contains(response.body, "Invalid Host header")) {
    error.code = ErrorCode::auth;
    error.why = "the server does not accept the host name in this URI (\"Invalid Host header\")";
    error.fix = "start the server with `mlflow server --allowed-hosts " + authority_of(uri_) + "`";
  } else if (response.status == 403) {
    error.code = ErrorCode::auth;
    error.fix =
        "ask for the permission EDIT on the experiment, or choose another experiment with --experiment";
  } else if (response.status == 429 || response.status >= 500) {
    error.code = ErrorCode::unreachable;
    error.fix = "run the command again: it continues where it stopped";
  } else if (error.reason.empty()) {
    error.message = "no MLflow server at " + uri_;
    error.why = "the response to " + kApi + " has status " + status;
    error.fix = "correct the URI: use the one that a browser shows for MLflow, without the part after \"#\"";
  }
  return error;
}

/// The body of the response. Throws Error unless the request has succeeded.
Json MlflowClient::take(const http::Response& response) const {
  Json body;
  try {
    body = parse_json(response.body, "the response of " + uri_);
  } catch (const Error& error) {
    if (error.reason == kTooLarge || error.code == ErrorCode::interrupted) throw;
  }
  if (response.status / 100 == 2 && body.is_object()) return body;
  throw fault(response, body.is_object() ? body : Json::object());
}

http::Response MlflowClient::send(const http::Request& request) {
  try {
    return transport_.send(request);
  } catch (const Error& error) {
    throw in_our_words(error);
  }
}

Json MlflowClient::call(const http::Request& request) {
  return take(send(request));
}

std::string MlflowClient::experiment(const std::string& name) {
  const auto look_up = [&] {
    const Json found =
        call({.path = kApi + "experiments/get-by-name?experiment_name=" + percent_encoded(name)});
    if (string_at(found, {"experiment", "lifecycle_stage"}) == "deleted")
      throw Error(ErrorCode::failure, "the experiment \"" + name + "\" is deleted in MLflow", "",
                  "restore it with `mlflow experiments restore --experiment-id " +
                      string_at(found, {"experiment", "experiment_id"}) +
                      "`, or choose another --experiment");
    return string_at(found, {"experiment", "experiment_id"});
  };
  try {
    return look_up();
  } catch (const Error& error) {
    if (error.reason != "RESOURCE_DOES_NOT_EXIST") throw;
  }
  try {
    return string_at(call(post("experiments/create", {{"name", name}})), {"experiment_id"});
  } catch (const Error& error) {  // another program has just created the experiment
    if (error.reason != "RESOURCE_ALREADY_EXISTS") throw;
  }
  return look_up();
}

std::optional<Json> MlflowClient::find_run(const std::string& experiment_id, const std::string& tag,
                                           const std::string& value) {
  const Json found = call(post("runs/search", {{"experiment_ids", Json::array({experiment_id})},
                                               {"filter", "tags.`" + tag + "` = '" + value + "'"},
                                               {"run_view_type", "ACTIVE_ONLY"},
                                               {"max_results", 1}}));
  const Json& runs = array_at(found, {"runs"});
  return runs.empty() ? std::nullopt : std::optional<Json>(runs[0]);
}

Json MlflowClient::create_run(const Json& run) {
  return object_at(call(post("runs/create", run)), {"run"});
}

void MlflowClient::log_batches(const std::vector<std::string>& batches) {
  constexpr size_t kAtOnce = 4;  // more requests at once would only wait for the server's database
  for (size_t begin = 0; begin < batches.size(); begin += kAtOnce) {
    std::vector<http::Request> requests;
    for (size_t i = begin; i < std::min(begin + kAtOnce, batches.size()); ++i)
      requests.push_back(post_text("runs/log-batch", batches[i]));
    std::optional<Error> failure;
    transport_.send_all(requests, [&](size_t, const http::Response* response, const Error* error) {
      try {
        if (error) throw in_our_words(*error);
        take(*response);
      } catch (const Error& thrown) {  // this error is thrown again after the other responses
        failure = thrown;
      }
    });
    if (failure) throw *failure;
  }
}

void MlflowClient::set_tag(const std::string& run_id, const std::string& key, const std::string& value) {
  call(post("runs/set-tag", {{"run_id", run_id}, {"key", key}, {"value", value}}));
}

void MlflowClient::put_artifact(const std::string& path, std::string content) {
  http::Request request{.method = "PUT",
                        .path = "/api/2.0/mlflow-artifacts/artifacts/" + percent_encoded(path, true),
                        .headers = {{"Content-Type", "application/octet-stream"}},
                        .body = std::move(content)};
  request.timeout = std::chrono::minutes(10);
  constexpr int kAttempts = 3;
  constexpr std::chrono::milliseconds kPause{500};
  for (int attempt = 1;; ++attempt) {
    const http::Response response = send(request);
    const bool may_pass = response.status == 429 || response.status >= 500;
    // The response has no body (mlflow/server/artifact_router.py in MLflow 3.17), so only its status is
    // checked.
    if (response.status / 100 == 2) return;
    if (!may_pass || attempt == kAttempts) take(response);
    const auto until = transport_.now() + attempt * kPause;
    while (transport_.now() < until)
      transport_.wait(std::chrono::ceil<std::chrono::milliseconds>(until - transport_.now()));
  }
}

void MlflowClient::update_run(const Json& changes) {
  call(post("runs/update", changes));
}

}  // namespace kml::tracking
