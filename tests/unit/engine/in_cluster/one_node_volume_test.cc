#include <doctest/doctest.h>

#include "kml/base/json.h"
#include "kml/engine/in_cluster/one_node_volume.h"

namespace kml::engine::one_node_volume_test {

namespace {

Json template_with(const Json& modes) {
  Json pod = {{"metadata", {{"labels", {{"a", "b"}}}}}, {"spec", Json::object()}};
  keep_on_one_node({{"metadata", {{"uid", "u1"}}}, {"spec", {{"accessModes", modes}}}}, pod);
  return pod;
}

}  // namespace

TEST_CASE("one node volume: pods with a ReadWriteOnce volume start on the node where its other pod runs") {
  const Json pod = template_with({"ReadWriteOnce"});
  CHECK(pod["metadata"]["labels"] == Json{{"a", "b"}, {"kml.dev/volume", "u1"}});
  const Json& term =
      pod["spec"]["affinity"]["podAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"][0];
  CHECK(term["labelSelector"]["matchLabels"] == Json{{"kml.dev/volume", "u1"}});
  CHECK(term["topologyKey"] == "kubernetes.io/hostname");
}

TEST_CASE("one node volume: pods with a volume that several nodes can mount start anywhere") {
  for (const Json& modes : {Json{"ReadWriteMany"}, Json{"ReadWriteOnce", "ReadOnlyMany"}, Json::array()})
    CHECK(template_with(modes)["spec"].empty());
}

}  // namespace kml::engine::one_node_volume_test
