#include <doctest/doctest.h>

#include "kml/engine/in_cluster/stop_request.h"
#include "support/fake_transport.h"

namespace kml::engine::stop_request_test {

namespace {

constexpr const char* kObjects = "/api/v1/namespaces/team/configmaps";

Json sweep_object(const char* wish) {
  Json object = {{"metadata", {{"name", "kml-sweep-s"}, {"namespace", "team"}, {"resourceVersion", "1"}}}};
  if (wish) object["data"][StopRequest::kKey] = wish;
  return object;
}

}  // namespace

TEST_CASE("stop request: a request made before the engine started is noticed at once") {
  FakeTransport transport;
  kube::Client client(transport);
  const EngineMarks marks{"sweep", "kml.dev/sweep", "s", "id", "team"};
  CHECK(StopRequest(client, marks, sweep_object(nullptr)).text() == std::nullopt);
  CHECK(StopRequest(client, marks, sweep_object("drain")).text() == "drain");
  CHECK(StopRequest(client, marks, sweep_object("now")).text() == "now");
}

TEST_CASE(
    "stop request: a later request is noticed, and so is its withdrawal, even after the server was "
    "unavailable") {
  FakeTransport transport;
  kube::Client client(transport);
  const StopRequest request(client, {"sweep", "kml.dev/sweep", "s", "id", "team"}, sweep_object(nullptr));
  transport.stub("GET", kObjects, {.status = 503});
  transport.answer("GET", kObjects,
                   {{"metadata", {{"resourceVersion", "1"}}}, {"items", {sweep_object("now")}}});
  Json back = sweep_object(nullptr);
  back["metadata"]["resourceVersion"] = "2";
  const Json event = {{"type", "MODIFIED"}, {"object", back}};
  transport.stub(
      "GET", kObjects,
      {.pieces = {"\n", event.dump() + "\n"}, .stays_open = true, .between = std::chrono::seconds(9)});
  transport.run_for(std::chrono::seconds(5));
  CHECK(request.text() == "now");
  transport.run_for(std::chrono::seconds(10));
  CHECK(request.text() == std::nullopt);
}

}  // namespace kml::engine::stop_request_test
