#include <doctest/doctest.h>

#include "kml/jobs/sweep/sweep_engine.h"
#include "support/fake_transport.h"

namespace kml::jobs::stop_request_test {

namespace {

constexpr const char* kObjects = "/api/v1/namespaces/team/configmaps";

Json sweep_object(const char* wish) {
  Json object = {{"metadata", {{"name", "kml-sweep-s"}, {"namespace", "team"}, {"resourceVersion", "1"}}}};
  if (wish) object["data"][StopRequest::kKey] = wish;
  return object;
}

}  // namespace

TEST_CASE("stop request: one that was made before the engine began is known at once") {
  FakeTransport transport;
  kube::Client client(transport);
  const SweepMarks marks{"s", "id", "team"};
  CHECK(StopRequest(client, marks, sweep_object(nullptr)).wish() == sweep::StopWish::none);
  CHECK(StopRequest(client, marks, sweep_object("drain")).wish() == sweep::StopWish::drain);
  CHECK(StopRequest(client, marks, sweep_object("now")).wish() == sweep::StopWish::now);
}

TEST_CASE("stop request: one that comes later, and is taken back, is seen, also after the server was away") {
  FakeTransport transport;
  kube::Client client(transport);
  const StopRequest request(client, {"s", "id", "team"}, sweep_object(nullptr));
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
  CHECK(request.wish() == sweep::StopWish::now);
  transport.run_for(std::chrono::seconds(10));
  CHECK(request.wish() == sweep::StopWish::none);
}

}  // namespace kml::jobs::stop_request_test
