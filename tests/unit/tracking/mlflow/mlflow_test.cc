#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "kml/base/error.h"
#include "support/fake_transport.h"
#include "tracking/mlflow/mlflow_push.h"

namespace mlflow_test {

using namespace kml;
using namespace kml::tracking;

namespace {

const std::string kPath = "/api/2.0/mlflow/";
const Time kBegin = *parse_rfc3339("2026-11-20T08:00:00Z");

TrackedRun made_run() {
  TrackedRun run;
  run.id = "00000000000000aa";
  run.kind = "job";
  run.name = "bert";
  run.state = "Succeeded";
  run.time = kBegin;
  run.parameters = {{"lr", 0.1}, {"epochs", 5.0}, {"opt", "adam"}};
  return run;
}

/// Stubs the responses for a push to a new run, or to the run `known`.
void expect_push(FakeTransport& transport, const Json& known, int batches, bool has_values) {
  transport.answer("POST", kPath + "runs/search",
                   {{"runs", known.is_null() ? Json::array() : Json::array({known})}});
  if (known.is_null())
    transport.answer("POST", kPath + "runs/create", {{"run", {{"info", {{"run_id", "abc"}}}}}});
  for (int i = 0; i < batches; ++i) transport.answer("POST", kPath + "runs/log-batch", Json::object());
  if (has_values) transport.answer("POST", kPath + "runs/set-tag", Json::object());
  transport.answer("POST", kPath + "runs/update", Json::object());
}

std::vector<Json> sent(const FakeTransport& transport, const std::string& path) {
  std::vector<Json> bodies;
  for (const http::Request& request : transport.requests)
    if (request.path == kPath + path) bodies.push_back(Json::parse(request.body));
  return bodies;
}

std::string endpoint_fault(const std::string& uri, const std::map<std::string, std::string>& variables = {}) {
  const auto environment = [&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::string() : found->second;
  };
  try {
    const http::Endpoint endpoint = mlflow_endpoint(uri, environment);
    if (endpoint.authorization) return "later: " + endpoint.authorization();
    return endpoint.headers.empty() ? "" : endpoint.headers[0].second;
  } catch (const Error& error) {
    return error.message;
  }
}

}  // namespace

TEST_CASE("mlflow: names that MLflow accepts stay; others become distinct keys that MLflow accepts") {
  const std::string longest(250, 'x');
  const MlflowKeys keys({"loss", "val/loss", "a b: c", "acc@5", "acc_5", "acc#5", "/a//b/", "../a", "a/../b",
                         ".", "", "§", longest, longest + "y", longest + "z", "größe/学習率", "é²", "a→b"});
  for (const std::string name : {"loss", "val/loss", "a b: c", "acc_5", "größe/学習率", "é²"})
    CHECK(keys.of(name) == name);
  CHECK(keys.of("a→b") == "a_b");
  CHECK(keys.of("acc@5").starts_with("acc_5-"));
  CHECK(keys.of("acc#5").starts_with("acc_5-"));
  CHECK(keys.of("acc@5") != keys.of("acc#5"));
  CHECK(keys.of("/a//b/") == "a/b");
  CHECK(keys.of("../a") == "__/a");
  CHECK(keys.of("a/../b") == "a/__/b");
  CHECK(keys.of("") == "_");
  CHECK(keys.of(".").starts_with("_-"));
  CHECK(keys.of(longest) == longest);
  CHECK(keys.of(longest + "y").size() == 250);
  CHECK(keys.of(longest + "y") != keys.of(longest + "z"));
  CHECK(keys.changed().size() == 11);
}

TEST_CASE("mlflow: no key is the folder of another key") {
  struct FolderCase {
    std::set<std::string> names;
    std::map<std::string, std::string> changed;
  };
  const FolderCase cases[] = {
      {{"val", "val/acc"}, {{"val", "val_"}}},
      {{"val", "val/", "val/a/b"}, {{"val", "val_"}, {"val/", "val_-"}}},
      {{"val", "val_", "val/acc"}, {{"val", "val_-"}}},
      {{"val", "val/acc", "val/acc/top5"}, {{"val", "val_"}, {"val/acc", "val/acc_"}}},
      {{"val", "val/acc", "val_/acc"}, {{"val", "val_-"}}},
      {{"val", "value/acc"}, {}},
      {{"a@", "a@/b"}, {{"a@", "a__"}, {"a@/b", "a_/b"}}}};
  for (const FolderCase& each : cases) {
    const MlflowKeys keys(each.names);
    std::set<std::string> all;
    for (const std::string& name : each.names) {
      CAPTURE(name);
      const auto changed = each.changed.find(name);
      const std::string key = changed == each.changed.end() ? name : changed->second;
      CHECK(keys.of(name).starts_with(key));
      CHECK((key.ends_with('-') || keys.of(name) == key));
      CHECK(all.insert(keys.of(name)).second);
    }
    for (const std::string& key : all)
      for (const std::string& other : all) CHECK_FALSE(other.starts_with(key + "/"));
    CHECK(keys.changed().size() == each.changed.size());
  }
}

TEST_CASE("mlflow: a text is cut between characters") {
  CHECK(cut_to_characters("größe", 3) == "grö");
  CHECK(cut_to_characters("größe", 5) == "größe");
  CHECK(cut_to_characters("", 5).empty());
}

TEST_CASE("mlflow: a new run gets its parameters, tags, values and outcome") {
  FakeTransport transport;
  expect_push(transport, {}, 3, true);
  MlflowClient client(transport, "http://host");
  MetricCourses courses;
  courses["acc@5"] = {{1, 0.5, kBegin}, {2, std::nan(""), kBegin}, {3, -HUGE_VAL, kBegin}};
  const PushedRun pushed = MlflowPush(client, "7").push(made_run(), courses);
  CHECK(pushed.is_new);
  CHECK(pushed.values == 3);
  CHECK(pushed.url == "http://host/#/experiments/7/runs/abc");
  CHECK(pushed.faults == std::vector<std::string>{"metric \"acc@5\" is \"acc_5\" in MLflow"});
  CHECK(sent(transport, "runs/search")[0]["filter"] == "tags.`kml.run_id` = '00000000000000aa'");
  CHECK(sent(transport, "runs/create")[0]["tags"][0]["value"] == "00000000000000aa");
  const std::vector<Json> batches = sent(transport, "runs/log-batch");
  REQUIRE(batches.size() == 3);
  CHECK(batches[0]["params"] ==
        Json::parse(R"([{"key": "epochs", "value": "5"}, {"key": "lr", "value": "0.1"},
    {"key": "opt", "value": "adam"}])"));
  const Json& metrics = batches[2]["metrics"];
  CHECK(metrics[0] == Json{{"key", "acc_5"}, {"step", 1}, {"timestamp", 1795161600000}, {"value", 0.5}});
  CHECK(metrics[1]["value"] == "NaN");
  CHECK(metrics[2]["value"] == "-Infinity");
  CHECK(sent(transport, "runs/update")[0]["status"] == "FINISHED");
}

TEST_CASE("mlflow: a second push sends only what is new") {
  MetricCourses courses;
  for (int step = 0; step < 2500; ++step) courses["loss"].push_back({step, 1.0 / (step + 1), kBegin});
  std::string counted;
  {
    FakeTransport transport;
    expect_push(transport, {}, 5, true);
    MlflowClient client(transport, "http://host");
    CHECK(MlflowPush(client, "7").push(made_run(), courses).values == 2500);
    counted = sent(transport, "runs/set-tag")[0]["value"];
    CHECK(counted.starts_with("2500 "));
  }
  Json known = {{"info", {{"run_id", "abc"}}},
                {"data",
                 {{"params", {{{"key", "lr"}, {"value", "0.2"}}, {{"key", "opt"}, {"value", "adam"}}}},
                  {"tags", {{{"key", "kml.values"}, {"value", counted}}}}}}};
  SUBCASE("nothing is new") {
    FakeTransport transport;
    expect_push(transport, known, 2, false);
    MlflowClient client(transport, "http://host");
    const PushedRun pushed = MlflowPush(client, "7").push(made_run(), courses);
    CHECK_FALSE(pushed.is_new);
    CHECK(pushed.values == 0);
    CHECK(pushed.faults.size() == 1);  // lr stays 0.2
    CHECK(sent(transport, "runs/log-batch")[0]["params"].size() == 1);
  }
  SUBCASE("values after the earlier ones") {
    courses["loss"].push_back({2500, 0.5, kBegin});
    FakeTransport transport;
    expect_push(transport, known, 3, true);
    MlflowClient client(transport, "http://host");
    CHECK(MlflowPush(client, "7").push(made_run(), courses).values == 1);
  }
  SUBCASE("other values: all are sent") {
    courses["loss"][7].value = 3;
    FakeTransport transport;
    expect_push(transport, known, 5, true);
    MlflowClient client(transport, "http://host");
    CHECK(MlflowPush(client, "7").push(made_run(), courses).values == 2500);
  }
}

TEST_CASE("mlflow: a nested run names its parent") {
  FakeTransport transport;
  expect_push(transport, {}, 2, false);
  MlflowClient client(transport, "http://host");
  MlflowPush(client, "7").push(made_run(), {}, {}, "parent");
  const Json tags = sent(transport, "runs/log-batch")[1]["tags"];
  CHECK(std::find(tags.begin(), tags.end(), Json{{"key", "mlflow.parentRunId"}, {"value", "parent"}}) !=
        tags.end());
}

TEST_CASE("mlflow: batches stay within MLflow's limits") {
  TrackedRun run = made_run();
  for (int i = 0; i < 250; ++i) run.parameters["p" + std::to_string(i)] = std::string(3000, 'x');
  FakeTransport transport;
  expect_push(transport, {}, 4, false);
  MlflowClient client(transport, "http://host");
  MlflowPush(client, "7").push(run, {});
  for (const Json& batch : sent(transport, "runs/log-batch")) {
    CHECK(batch.dump().size() < 1'000'000);
    for (const char* kind : {"params", "tags"}) CHECK((!batch.contains(kind) || batch[kind].size() <= 100));
  }
}

TEST_CASE(
    "mlflow: an experiment is created if it does not exist, and found if another program has created it") {
  FakeTransport transport;
  const auto missing = [&] {
    transport.answer("GET", kPath + "experiments/get-by-name?experiment_name=a%20b",
                     {{"error_code", "RESOURCE_DOES_NOT_EXIST"}, {"message", "none"}}, 404);
  };
  missing();
  transport.answer("POST", kPath + "experiments/create", {{"experiment_id", "3"}});
  MlflowClient client(transport, "http://host");
  CHECK(client.experiment("a b") == "3");
  missing();
  transport.answer("POST", kPath + "experiments/create", {{"error_code", "RESOURCE_ALREADY_EXISTS"}}, 400);
  transport.answer("GET", kPath + "experiments/get-by-name",
                   {{"experiment", {{"experiment_id", "4"}, {"lifecycle_stage", "active"}}}});
  CHECK(client.experiment("a b") == "4");
}

TEST_CASE("mlflow: credentials are sent only over TLS, or to this machine") {
  const std::map<std::string, std::string> password = {{"MLFLOW_TRACKING_USERNAME", "ana"},
                                                       {"MLFLOW_TRACKING_PASSWORD", "secret"},
                                                       {"MLFLOW_TRACKING_TOKEN", "t"}};
  CHECK(endpoint_fault("https://h", password) == "later: Basic YW5hOnNlY3JldA==");
  CHECK(endpoint_fault("https://h", {{"MLFLOW_TRACKING_TOKEN", "t"}}) == "later: Bearer t");
  CHECK(endpoint_fault("http://127.0.0.1:5000", password) == "Basic YW5hOnNlY3JldA==");
  CHECK(endpoint_fault("http://localhost.example:5000", password).ends_with("over unencrypted HTTP"));
  CHECK(endpoint_fault("http://h:5000").empty());
  for (const char* uri :
       {"databricks", "file:///mlruns", "sqlite:///x.db", "h:5000", "http://", "http://a@h"})
    CHECK(endpoint_fault(uri).ends_with("is not the address of an MLflow server"));
}

}  // namespace mlflow_test
