#pragma once

#include <doctest/doctest.h>

#include "local/controllers/bootstrap.h"
#include "local/routes/api_server.h"
#include "support/temporary_folder.h"

namespace kml::local {

/// The API with an empty store, without sockets.
struct ApiFixture {
  TemporaryFolder folder;
  EventLoop loop;
  Store store{folder.path() / "store.db", system_clock()};
  Namespaces namespaces{store, system_clock()};
  ApiServer api{loop, store, system_clock(), folder.path(), "secret", "ana"};

  ApiFixture() { create_initial_objects(store); }

  HttpResponse send(const std::string& method, const std::string& target, const std::string& body = {},
                    const std::string& content_type = "application/json") {
    HttpRequest request{.method = method, .path = target.substr(0, target.find('?'))};
    request.content_type = content_type;
    request.body = body;
    for (size_t at = target.find('?'); at != std::string::npos;) {
      const size_t end = target.find('&', at + 1), equals = target.find('=', at);
      request.query[target.substr(at + 1, equals - at - 1)] = target.substr(equals + 1, end - equals - 1);
      at = end;
    }
    return api.handle(request);
  }

  /// Sends a request, checks the status, and returns the answer's JSON.
  Json expect(int status, const std::string& method, const std::string& target, const Json& body = nullptr) {
    HttpResponse response = send(method, target, body.is_null() ? "" : body.dump());
    CHECK_MESSAGE(response.status == status, method << " " << target << ": " << response.body);
    return Json::parse(response.body, nullptr, false);
  }

  Json patch(int status, const std::string& target, const std::string& type, const Json& body) {
    HttpResponse response = send("PATCH", target, body.dump(), type);
    CHECK_MESSAGE(response.status == status, target << ": " << response.body);
    return Json::parse(response.body, nullptr, false);
  }
};

/// All that a body returns until it must wait or ends.
inline std::string drain(HttpResponse& response, bool* ended = nullptr) {
  std::string text;
  REQUIRE(response.stream != nullptr);
  BodySource::Next next = BodySource::Next::more;
  while (next == BodySource::Next::more) {
    std::string piece;
    next = response.stream->read(piece);
    text += piece;
  }
  if (ended) *ended = next == BodySource::Next::end;
  return text;
}

inline Json config_map(const std::string& name, const Json& labels = Json::object()) {
  return {{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"metadata", {{"name", name}, {"labels", labels}}}};
}

inline Json pod(const std::string& name) {
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata", {{"name", name}}},
          {"spec",
           {{"containers",
             Json::array({{{"name", "main"}, {"image", "x"}, {"command", Json::array({"true"})}}})}}}};
}

inline Json job(const std::string& name) {
  Json pod_template = {{"spec", pod(name)["spec"]}};
  pod_template["spec"]["restartPolicy"] = "Never";
  return {{"apiVersion", "batch/v1"},
          {"kind", "Job"},
          {"metadata", {{"name", name}}},
          {"spec", {{"template", pod_template}}}};
}

inline const std::string kMaps = "/api/v1/namespaces/default/configmaps";
inline const std::string kPods = "/api/v1/namespaces/default/pods";
inline const std::string kJobs = "/apis/batch/v1/namespaces/default/jobs";

}  // namespace kml::local
