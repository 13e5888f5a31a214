#include "kml/sweep/tables/sweep_table.h"

#include <doctest/doctest.h>

#include <sstream>

#include "sweep/spec/warm_start.h"

namespace sweep_export_test {

using namespace kml;

TEST_CASE("sweep export: each column has a unique name, and another sweep can learn from the file") {
  const auto parameter = [](const char* name) {
    return Json{{"name", name}, {"parameterType", "double"}, {"feasibleSpace", {{"min", 0}, {"max", 1}}}};
  };
  const Json spec = {
      {"objective",
       {{"type", "minimize"}, {"objectiveMetricName", "loss"}, {"additionalMetricNames", {"lr", "acc"}}}},
      {"parameters", {parameter("lr"), parameter("state"), parameter("wd")}},
      {"trialTemplate", {{"trialSpec", {{"kind", "Job"}, {"args", "{args}"}}}}}};
  sweep::SweepState state;
  const Json document = {
      {"apiVersion", "kml.dev/v1"}, {"kind", "Sweep"}, {"metadata", {{"name", "s"}}}, {"spec", spec}};
  state.apply({{}, sweep::record::Sweep{"id", document, Json::object()}});
  const Json values = {{"lr", 0.5}, {"state", 0.25}, {"wd", 0.125}};
  state.apply({{}, sweep::record::Asked{0, values}});
  state.apply({{}, sweep::record::Begun{0, "s-0"}});
  sweep::record::Ended ended{0, sweep::Outcome::complete};
  ended.value = 2;
  ended.results.metrics = {{"lr", 0.75}, {"acc", 0.875}};
  state.apply({{}, ended});

  std::ostringstream out, err;
  ui::print_csv(Streams{out, err}, state);
  CHECK(out.str().starts_with(
      "trial,state,loss,began,ended,gpuSeconds,lr,parameters.state,wd,metrics.lr,acc,cause\n"));
  const auto warm = sweep::warm_start_of_file(out.str(), "s.csv", "loss", state.space());
  REQUIRE(warm.entries.size() == 1);
  CHECK(warm.entries[0]["values"] == values);
  CHECK(warm.entries[0]["value"] == 2);
}

}  // namespace sweep_export_test
