#include "run/pace.h"

#include <doctest/doctest.h>

#include "run/gpu_usage.h"

using namespace trainer;

TEST_CASE("pace: rates, shares and percentiles of some steps are computed, and so is the remaining time") {
  Pace pace({.training = 10, .evaluation = 2}, 100);
  for (int i = 1; i <= 99; ++i) pace.updated(1, 5, 0.001 * i);
  pace.updated(1, 5, 1.05);  // 4.95 + 1.05 s
  pace.evaluated(1000);
  const Stretch stretch = pace.report(110, 2.5, 101, 1010);
  CHECK(stretch.images_per_second == doctest::Approx(500 / 6.0));
  CHECK(stretch.flops == doctest::Approx((500 * 10 + 1000 * 2) / 10.0));
  CHECK(stretch.exchange_share == doctest::Approx(0.25));
  CHECK(stretch.update_p50 == doctest::Approx(0.050));
  CHECK(stretch.update_p99 == doctest::Approx(0.099));
  CHECK(*stretch.remaining == doctest::Approx(100));

  CHECK(pace.empty());
  pace.updated(4, 20, 2);  // four updates at once are counted as four
  const Stretch next = pace.report(114, 3.5, 4, 0);
  CHECK(next.update_p50 == doctest::Approx(0.5));
  CHECK(next.images_per_second == doctest::Approx(10));
  CHECK(next.exchange_share == doctest::Approx(0.25));
  CHECK(*next.remaining == 0);
  CHECK_FALSE(pace.report(115, 3.5, 0, 7).remaining);
}

TEST_CASE("gpu usage: NVML reports the usage of the training GPU; without NVML, the usage is empty") {
  const auto usage = GpuMonitor("0000:1b:00.0", FAKE_NVML).read();
  REQUIRE(usage);
  CHECK(usage->busy_percent == 73);
  CHECK(usage->memory_used == 20);
  CHECK(usage->memory_total == 80);
  CHECK_FALSE(GpuMonitor("0000:1c:00.0", FAKE_NVML).read());
  CHECK_FALSE(GpuMonitor("", FAKE_NVML).read());
  CHECK_FALSE(GpuMonitor("0000:1b:00.0", "libno-such-library.so").read());
}
