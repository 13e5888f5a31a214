// An API server's list, and a watch after it whose data are cut at any place.
#include <stdexcept>

#include "fuzz/input.h"
#include "kml/kube/client/client.h"
#include "kml/kube/client/watch.h"
#include "support/fake_transport.h"

using namespace kml;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view input = fuzz::text_of(data, size);
  FakeTransport transport;
  kube::Client client{transport, [](std::chrono::milliseconds) {}};
  const std::string path = "/api/v1/namespaces/default/pods";
  transport.stub("GET", path, {.pieces = {std::string(fuzz::take_until(input, '\0'))}});
  std::vector<std::string> pieces;
  while (!input.empty()) pieces.emplace_back(fuzz::take_until(input, '\0'));
  transport.stub("GET", path, {.pieces = std::move(pieces), .stays_open = true});
  try {
    auto watch = kube::watch(client, *api::find_kind("v1", "Pod"), "default", {.random = [] { return 0.0; }},
                             {.on_change = [](kube::Change, const Json&) {},
                              .on_synced = [] {},
                              .on_failure = [](const Error&) {}});
    transport.run_for(std::chrono::milliseconds(1));
  } catch (const std::runtime_error&) {  // the input has no response for a further request
  }
  return 0;
}
