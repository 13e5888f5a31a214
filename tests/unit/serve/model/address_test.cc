#include "serve/model/address.h"

#include <doctest/doctest.h>

namespace serve_address_test {

using namespace kml::serve;

TEST_CASE("serve: the port for `kml port` is that of the address, or with KServe that of the pods") {
  const ServeSettings changed = {.name = "web", .port = 9000};
  CHECK(port_to_forward(changed, "http://web.lab:8080") == "8080");  // the Service of an earlier revision
  const ServeSettings by_kserve = {.name = "web", .port = 9000, .by_kserve = true};
  CHECK(port_to_forward(by_kserve, "http://web-predictor.lab.svc.cluster.local") == "9000");
  CHECK(port_to_forward(by_kserve, "") == "9000");
}

}  // namespace serve_address_test
