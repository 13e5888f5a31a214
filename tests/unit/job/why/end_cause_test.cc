#include <doctest/doctest.h>

#include "job/why/objects.h"

namespace end_cause_test {

using namespace kml;
using namespace kml::test;

TEST_CASE("why: a job whose command exited with 0 after the cluster stopped it has succeeded") {
  const Json bert = make_job("bert");
  Json stopped = on_node(make_pod(bert), "node1", "Succeeded");
  const Json done = with_condition(bert, "Complete", "");
  CHECK(Known(done, {stopped}).cause().summary == "has succeeded");
  stopped["status"]["conditions"] = {
      {{"type", "DisruptionTarget"}, {"status", "True"}, {"reason", "EvictionByEvictionAPI"}}};
  const auto evicted = Known(done, {stopped}).cause();
  CHECK(evicted.summary.starts_with("has succeeded, but pod bert-0 was stopped by the cluster: the pod was"));
  CHECK(evicted.summary.ends_with("its command then exited with 0, which is a success"));
  CHECK(evicted.remedies.back().what.find("143") != std::string::npos);
}

}  // namespace end_cause_test
