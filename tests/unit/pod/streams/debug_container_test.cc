#include "pod/streams/debug_container.h"

#include <doctest/doctest.h>

namespace debug_container_test {

using namespace kml;

TEST_CASE(
    "debug container: sees the target's processes, has the same restrictions, and ends with its input") {
  const Json pod = Json::parse(
      R"({"spec": {"containers": [{"name": "main", "securityContext": {"runAsUser": 7}}, {"name": "side"}]}})");
  CHECK(
      pod::debug_container_patch(pod, "main", "kml-debug-1", "tools:1") ==
      Json::parse(
          R"({"spec": {"ephemeralContainers": [{"name": "kml-debug-1", "image": "tools:1", "command": ["sh", "-c", "cat"],
          "targetContainerName": "main", "stdin": true, "stdinOnce": true, "securityContext": {"runAsUser": 7}}]}})"));
  CHECK_FALSE(
      pod::debug_container_patch(pod, "side", "kml-debug-1", "tools:1")["spec"]["ephemeralContainers"][0]
          .contains("securityContext"));
}

}  // namespace debug_container_test
