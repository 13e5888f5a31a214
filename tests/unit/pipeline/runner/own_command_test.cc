#include "pipeline/runner/own_command.h"

#include <doctest/doctest.h>

#include "kml/base/error.h"
#include "pipeline/made_tree.h"

namespace kml::pipeline::own_command_test {

namespace {

using tests::error_of;
using Words = std::vector<std::string>;

Json here() {
  return {{"digest", "d1"}, {"path", "/home/ana/words"}};
}

Json on_claim() {
  return {{"digest", "d2"}, {"path", "pvc/runs/f/v1/x"}, {"onClaim", "f/v1/x"}, {"target", "c/n"}};
}

StepJob job_with(const Json& inputs) {
  StepJob job;
  job.inputs = inputs;
  return job;
}

}  // namespace

TEST_CASE("pipeline: the pods of a sweep or served model mount the step's inputs from the store") {
  const struct {
    const char* name;
    Json inputs;
    Words mounts;
  } kCases[] = {{"a value", {{"x", "5"}}, {}},
                {"an output of a step", {{"x", on_claim()}}, {"--mount=pvc/runs/f/v1/x:/kml/made/f/v1/x:ro"}},
                {"a file of this machine",
                 {{"x", here()}},
                 {"--mount=pvc/runs/f/v1/inputs/d1/data:/kml/made/f/v1/inputs/d1/data:ro"}},
                {"a list",
                 {{"x", {on_claim(), on_claim(), here()}}},
                 {"--mount=pvc/runs/f/v1/inputs/d1/data:/kml/made/f/v1/inputs/d1/data:ro",
                  "--mount=pvc/runs/f/v1/x:/kml/made/f/v1/x:ro"}}};
  for (const auto& [name, inputs, mounts] : kCases) {
    CAPTURE(name);
    CHECK(input_mounts(job_with(inputs), ClaimStore{"runs", "f", "c/n"}, "a sweep") == mounts);
  }
}

TEST_CASE("pipeline: without a store, a sweep on a cluster reads no files") {
  CHECK(input_mounts(job_with({{"x", "5"}}), {}, "a sweep").empty());
  const Error error = error_of([] { input_mounts(job_with({{"x", here()}}), {}, "a sweep"); });
  CHECK(error.message == "a sweep on a cluster cannot read files from this machine");
  CHECK(error.fix.find("--store pvc/NAME") != std::string::npos);
}

}  // namespace kml::pipeline::own_command_test
