#include "pipeline/runner/sent_log.h"

#include <doctest/doctest.h>

#include "kml/base/frames.h"
#include "kml/base/json.h"
#include "kml/kube/client/client.h"
#include "support/fake_transport.h"

namespace kml::pipeline::sent_log_test {

TEST_CASE("sent log: if a node returns an error instead of the log, the log is requested again") {
  FakeTransport transport;
  kube::Client client(transport);
  std::string lines;
  const Frames frames = append_frames("what the step made", lines);
  const Json ended = {{"exitCode", 0}, {"message", frames_note(frames)}};
  const Json pod = {
      {"metadata", {{"name", "p"}, {"namespace", "n"}}},
      {"spec", {{"containers", {{{"name", "main"}}}}}},
      {"status", {{"containerStatuses", {{{"name", "main"}, {"state", {{"terminated", ended}}}}}}}}};
  const std::string log = "/api/v1/namespaces/n/pods/p/log";
  transport.stub("GET", log, {.pieces = {"unable to retrieve container logs for containerd://1"}});
  transport.stub("GET", log, {.pieces = {"a line of its own\n" + lines}});
  CHECK(sent_in_log(client, pod) == "what the step made");
}

}  // namespace kml::pipeline::sent_log_test
