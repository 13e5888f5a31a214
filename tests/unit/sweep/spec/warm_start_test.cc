#include "sweep/spec/warm_start.h"

#include <doctest/doctest.h>

#include "kml/base/error.h"
#include "kml/sweep/engine/sweep_state.h"
#include "kml/sweep/samplers/sampler.h"

namespace kml::sweep::warm_start_test {

namespace {

Space space_of(double high = 1) {
  return Space({{.name = "lr", .low = 0, .high = high},
                {.name = "opt", .kind = Kind::categorical, .choices = {"adam", "sgd"}},
                {.name = "momentum", .low = 0, .high = 1, .condition = Condition{"opt", {"sgd"}}}},
               {"lr <= 0.9"});
}

Json document_with(const Json& warm_start) {
  return {
      {"apiVersion", "kml.dev/v1"},
      {"kind", "Sweep"},
      {"metadata", {{"name", "s"}}},
      {"spec",
       {{"objective", {{"type", "maximize"}, {"objectiveMetricName", "acc"}}},
        {"parameters",
         Json::array(
             {{{"name", "lr"}, {"parameterType", "double"}, {"feasibleSpace", {{"min", 0}, {"max", 1}}}}})},
        {"warmStart", warm_start},
        {"trialTemplate", {{"trialSpec", {{"kind", "Job"}, {"args", "{args}"}}}}}}}};
}

}  // namespace

TEST_CASE("warm start: exported CSV is read, with columns in any order, and with quotes") {
  const WarmStart warm = warm_start_of_file(
      "state,\"acc\",lr,opt,momentum,extra,cause\r\n"
      "complete,0.9,0.1,adam,,7,\r\n"
      "complete,0.8,0.25,sgd,0.5,8,\"with, a comma\"\n"
      "diverged,,0.5,adam,,9,\"two\nlines, and a \"\"quote\"\"\"\n"
      "withdrawn,,0.3,adam,,9,\n"
      "complete,0.7,0.95,adam,,9,constraint\n"
      "complete,0.7,2,adam,,9,too large\n"
      "complete,0.7,0.2,rmsprop,,9,unknown\n",
      "r.csv", "acc", space_of());
  REQUIRE(warm.entries.size() == 3);
  CHECK(warm.outside == 3);
  CHECK(warm.entries[0]["values"] == Json{{"lr", 0.1}, {"opt", "adam"}});
  CHECK(warm.entries[1]["values"] == Json{{"lr", 0.25}, {"opt", "sgd"}, {"momentum", 0.5}});
  CHECK(warm.entries[2]["outcome"] == "diverged");
  const auto seen = observations_of(warm.entries, space_of(), {.metric = "acc", .maximize = true});
  CHECK(seen[0].objective == -0.9);
  CHECK(seen[2].state == TrialState::diverged);
}

TEST_CASE("warm start: JSON lines are read, exported ones and plain ones") {
  const WarmStart warm = warm_start_of_file(
      R"({"trial":0,"state":"complete","parameters":{"lr":0.1,"opt":"adam"},"value":0.9,"curve":[[1,0.5],[2,0.9]]}
{"trial":1,"state":"running","parameters":{"lr":0.2,"opt":"adam"}}

{"lr":0.3,"opt":"adam","acc":0.5}
)",
      "r.jsonl", "acc", space_of());
  REQUIRE(warm.entries.size() == 2);
  CHECK(warm.entries[0]["curve"].size() == 2);
  CHECK(warm.entries[1]["value"] == 0.5);
  CHECK(warm.outside == 0);
}

TEST_CASE("warm start: an invalid file is rejected") {
  for (const char* text : {"{\"lr\": 1}\nno json\n", "a,b\n1,2,3\n", "a,b\n\"1,2\n"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(warm_start_of_file(text, "r", "acc", space_of()), Error);
  }
}

TEST_CASE("warm start: invalid entries are reported as problems") {
  const Json good = {{"values", {{"lr", 0.1}}}, {"value", 0.9}};
  CHECK(parse_sweep(document_with(Json::array({good})), "test").warm_start.size() == 1);
  for (const Json& bad : {Json{{"values", {{"lr", 7}}}, {"value", 0.9}},
                          Json{{"values", {{"x", 0.1}}}, {"value", 1}}, Json{{"values", {{"lr", 0.1}}}}}) {
    CAPTURE(bad.dump());
    try {
      parse_sweep(document_with(Json::array({good, bad})), "test");
      FAIL("it was taken");
    } catch (const Error& error) {
      REQUIRE(error.problems.size() == 1);
      CHECK(error.problems[0].path == "spec.warmStart[1]");
    }
  }
}

TEST_CASE("warm start: is part of the sweep's state and teaches its sampler, but is not a trial") {
  Json entries = Json::array();
  for (int i = 0; i < 40; ++i) {
    const double lr = i / 40.0;
    entries.push_back({{"values", {{"lr", lr}}}, {"value", -(lr - 0.3) * (lr - 0.3)}});
  }
  SweepState state;
  state.apply({system_clock().now(), record::Sweep{"id", document_with(entries), {}}});
  CHECK(state.trials().empty());
  REQUIRE(state.warm_start().size() == 40);
  const auto sampler = make_sampler("multivariate-tpe", state.space(), {.warm_start = state.warm_start()});
  const auto point = sampler->propose(0, {});
  REQUIRE(point);
  CHECK(std::abs((*point)[0] - 0.3) < 0.15);
}

TEST_CASE("warm start: earlier trials stay when the sweep's budget changes") {
  const Json before = document_with(Json::array({{{"values", {{"lr", 0.1}}}, {"value", 0.9}}}));
  Json after = document_with(Json::array());
  after["spec"]["maxTrialCount"] = 7;
  CHECK(continued(before, after)["spec"]["warmStart"].size() == 1);
  CHECK(continued(before, after)["spec"]["maxTrialCount"] == 7);
  CHECK(changed_space(before, after).empty());
}

}  // namespace kml::sweep::warm_start_test
