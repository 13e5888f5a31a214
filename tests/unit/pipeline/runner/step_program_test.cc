#include "pipeline/runner/step_program.h"

#include <doctest/doctest.h>
#include <sys/utsname.h>

#include "kml/base/error.h"

namespace kml::pipeline::step_program_test {

namespace {

const PodPrograms kX86{.processor = "amd64"}, kArm{.processor = "arm64"};

Json node(const char* processor, const char* gpus) {
  return {{"metadata", {{"name", "n"}, {"labels", {{"kubernetes.io/arch", processor}}}}},
          {"status", {{"allocatable", {{"cpu", "8"}, {"pods", "110"}, {"nvidia.com/gpu", gpus}}}}}};
}

Json job(const char* gpus, const Json& selector = nullptr) {
  Json spec = {{"containers", {{{"name", "main"}, {"resources", {{"limits", {{"nvidia.com/gpu", gpus}}}}}}}}};
  if (!selector.is_null()) spec["nodeSelector"] = selector;
  return {{"kind", "Job"}, {"apiVersion", "batch/v1"}, {"spec", {{"template", {{"spec", std::move(spec)}}}}}};
}

const Json& selector_of(const Json& job) {
  return object_at(job, {"spec", "template", "spec", "nodeSelector"});
}

}  // namespace

TEST_CASE("step program: the first one that kml contains is for kml's own processor") {
  utsname machine{};
  ::uname(&machine);
  CHECK(pod_programs()[0].processor == (std::string(machine.machine) == "x86_64" ? "amd64" : "arm64"));
}

TEST_CASE("step program: is chosen for the nodes on which the pods fit") {
  const std::vector<PodPrograms> both = {kX86, kArm};
  const std::vector<Json> nodes = {node("amd64", "0"), node("arm64", "4")};
  Json with_gpu = job("1"), without = job("0"), too_large = job("8");
  CHECK(choose_programs(both, nodes, with_gpu).processor == "arm64");
  CHECK(selector_of(with_gpu).empty());
  CHECK(choose_programs(both, nodes, without).processor == "amd64");
  CHECK(selector_of(without) == Json{{"kubernetes.io/arch", "amd64"}});
  CHECK(choose_programs(both, nodes, too_large).processor == "amd64");
  CHECK(selector_of(too_large).empty());
}

TEST_CASE("step program: a node selector may name the processor, even if nodes cannot be read") {
  Json named = job("0", {{"kubernetes.io/arch", "arm64"}}), other = job("0");
  CHECK(choose_programs({kX86, kArm}, {}, named).processor == "arm64");
  CHECK(choose_programs({kX86, kArm}, {}, other).processor == "amd64");
}

TEST_CASE("step program: a job is rejected if kml contains no kml-step for the nodes' processor") {
  Json job = step_program_test::job("0");
  try {
    choose_programs({kX86}, {node("arm64", "0")}, job);
    FAIL("not refused");
  } catch (const Error& error) {
    CHECK(error.message == "a step's job cannot run on arm64 nodes");
    CHECK(error.why == "this kml contains kml-step for amd64 nodes only");
  }
}

}  // namespace kml::pipeline::step_program_test
