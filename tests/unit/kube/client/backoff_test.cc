#include "kube/client/retry.h"

#include <doctest/doctest.h>

namespace backoff_test {

using namespace std::chrono_literals;

TEST_CASE("backoff: doubles from 0.8 s to 30 s, and restarts after two quiet minutes") {
  kml::kube::Backoff backoff([] { return 0.0; });
  kml::http::SteadyTime now{1h};
  for (auto expected : {800ms, 1600ms, 3200ms, 6400ms, 12800ms, 25600ms, 30000ms, 30000ms})
    CHECK(backoff.next(now += 30s) == expected);
  CHECK(backoff.next(now += 121s) == 800ms);
}

TEST_CASE("backoff: adds a random delay of up to the same length") {
  kml::kube::Backoff backoff([] { return 0.5; });
  CHECK(backoff.next(kml::http::SteadyTime(1h)) == 1200ms);
}

}  // namespace backoff_test
