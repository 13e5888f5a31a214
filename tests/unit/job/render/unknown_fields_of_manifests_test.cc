#include <doctest/doctest.h>

#include "kml/job/render/render.h"

namespace unknown_fields_of_manifests_test {

using namespace kml;

namespace {

/// The remarks about the fields of a manifest, each as "path: text".
std::vector<std::string> remarks_on(const std::string& manifest) {
  render::Remarks remarks;
  render::load_manifests(std::vector<std::string>{"-"}, manifest, true, &remarks);
  std::vector<std::string> lines;
  for (const render::Remark& remark : remarks.unknown)
    lines.push_back(remark.problem.path + ": " + remark.problem.text);
  return lines;
}

std::string pod(const std::string& spec) {
  return "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {" + spec + "}}";
}

}  // namespace

TEST_CASE("manifests: an unknown field is reported, however far it is from a known one") {
  const std::pair<std::string, std::string> rows[] = {
      {pod("gpuCount: 3"), "spec.gpuCount: no such field"},
      {pod("x-foo: 1"), "spec.x-foo: no such field"},
      {pod("image: a"), "spec.image: no such field"},
      {pod("workloadRef: {name: a}"), "spec.workloadRef: no such field"},
      {pod("containers: [{name: a, gpus: 1}]"), "spec.containers[0].gpus: no such field"},
      {pod("containers: [{name: a, env: [{name: A, val: b}]}]"),
       "spec.containers[0].env[0].val: no such field"},
      {pod("resourceClaims: [{name: a, source: {}}]"), "spec.resourceClaims[0].source: no such field"},
      {pod("restartPolcy: Never"), "spec.restartPolcy: no such field; did you mean restartPolicy?"},
      {"{apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, metadata: {name: a}, spec: {minMember: 2}}",
       "spec.minMember: no such field"},
      {"{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: {name: a}, spec: {tasks: [{template: "
       "{spec: {containers: [{name: a, imag: b}]}}}]}}",
       "spec.tasks[0].template.spec.containers[0].imag: no such field; did you mean image?"},
      {"{apiVersion: ray.io/v1, kind: RayCluster, metadata: {name: a}, spec: {headGroupSpec: {template: "
       "{spec: {gpuCount: 1}}}}}",
       "spec.headGroupSpec.template.spec.gpuCount: no such field"},
  };
  for (const auto& [manifest, wanted] : rows) {
    const std::vector<std::string> found = remarks_on(manifest);
    CHECK_MESSAGE(found == std::vector{wanted}, manifest, found.empty() ? "" : " -> " + found[0]);
  }
  CHECK(remarks_on(pod("containers: [{name: a, image: b}]")).empty());
  CHECK(remarks_on("{apiVersion: trainer.kubeflow.org/v1alpha1, kind: TrainJob, metadata: {name: a}, "
                   "spec: {trainer: {numNodes: 2}}}")
            .empty());
}

TEST_CASE("manifests: a remark about a pod of a custom resource has its place in the file") {
  render::Remarks remarks;
  render::load_manifests(std::vector<std::string>{"-"},
                         "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: a}\nspec:\n"
                         "  tasks:\n  - template:\n      spec:\n        gpuCount: 1\n",
                         true, &remarks);
  REQUIRE(remarks.unknown.size() == 1);
  CHECK(remarks.unknown[0].problem.line == 8);
  CHECK(remarks.unknown[0].problem.column == 9);
}

}  // namespace unknown_fields_of_manifests_test
