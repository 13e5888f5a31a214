#include "local/quota/quotas.h"

#include "local/api_fixture.h"
#include "local/store/object.h"

namespace quotas_test {

using namespace kml;
using namespace kml::local;

namespace {

const std::string kQuotas = "/api/v1/namespaces/default/resourcequotas";

Json quota(const Json& hard) {
  return {{"metadata", {{"name", "q"}}}, {"spec", {{"hard", hard}}}};
}

}  // namespace

TEST_CASE_FIXTURE(ApiFixture, "quotas: usage is the same whether counted one by one or all at once") {
  expect(201, "POST", kMaps, config_map("before"));
  expect(201, "POST", kQuotas, quota({{"pods", "5"}, {"count/pods", "9"}, {"configmaps", "3"}}));
  Quotas one_by_one(store);
  for (const char* name : {"a", "b", "c"}) expect(201, "POST", kPods, pod(name));
  store.modify(local::kinds::pod, "default", "a", [](Json& ended) { ended["status"]["phase"] = "Failed"; });
  store.remove(local::kinds::pod, "default", "b");
  const Json used = {{"pods", "1"}, {"count/pods", "2"}, {"configmaps", "1"}};
  CHECK(one_by_one.status_of("default", "q")["used"] == used);
  CHECK(Quotas(store).status_of("default", "q")["used"] == used);
  CHECK(Quotas(store).status_of("default", "other").is_null());
}

TEST_CASE("quotas: amounts are written as the API server does") {
  CHECK(amount_text("requests.cpu", 250) == "250m");
  CHECK(amount_text("requests.cpu", 2'000'000) == "2k");
  CHECK(amount_text("limits.memory", int64_t{1'000} << 30) == "1Gi");
  CHECK(amount_text("limits.memory", 1'500'000) == "1500");
  CHECK(amount_text("pods", 0) == "0");
}

}  // namespace quotas_test
