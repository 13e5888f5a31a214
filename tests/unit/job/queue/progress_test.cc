#include "job/queue/progress.h"

#include <doctest/doctest.h>

#include <cmath>

namespace progress_test {

using namespace kml;
using namespace kml::job;

TEST_CASE("progress: pace and end follow from the steps in a log and their total number") {
  const std::string log =
      "2026-01-01T00:00:00.000000000Z Accuracy at step 100: 0.5\n"
      "2026-01-01T00:00:50.000000000Z Accuracy at step 150: 0.75\n";
  Progress progress;
  SUBCASE("total from the command") {
    progress = progress_of(log, "kml-trainer --max_steps 500");
  }
  SUBCASE("total from a line") {
    progress = progress_of(log + "2026-01-01T00:00:50Z {\"max_steps\": 500}\n", "");
  }
  CHECK(progress.step == 150);
  CHECK(progress.steps == 500);
  CHECK(progress.ends_at == parse_rfc3339("2026-01-01T00:06:40Z"));
  REQUIRE(progress.metrics.size() == 1);
  CHECK(progress.metrics[0] == std::pair<std::string, double>("accuracy", 0.75));
}

TEST_CASE("progress: reads bars of tqdm, and lines about saving") {
  const Progress progress = progress_of(
      "2026-01-01T00:00:00Z  10%|#   | 10/100 [00:10<01:30, 1.00it/s]\r 20%|##  | 20/100 [00:20<01:20, "
      "1.00it/s]\n"
      "2026-01-01T00:00:05Z Saving model checkpoint to /out/checkpoint-20\n",
      "");
  CHECK(progress.step == 20);
  CHECK(progress.steps == 100);
  CHECK(progress.saved_at == parse_rfc3339("2026-01-01T00:00:05Z"));
  CHECK(!progress.ends_at);
}

TEST_CASE("progress: a metric has the value at its greatest step, even if that is NaN") {
  const Progress progress = progress_of(
      "2026-01-01T00:00:00Z step=1 loss=0.5 acc=0.5\n"
      "2026-01-01T00:00:01Z step=2 loss=nan acc=0.75\n"
      "2026-01-01T00:00:02Z step=1 acc=0.25\n",
      "");
  REQUIRE(progress.metrics.size() == 2);
  CHECK(std::isnan(progress.metrics[0].second));
  CHECK(progress.metrics[1].second == 0.75);
}

TEST_CASE("progress: other text is not progress") {
  const Progress progress =
      progress_of("no stamp\n2026-01-01T00:00:00Z see https://x/1/2 and 2026/01/02\n\n", "python train.py");
  CHECK(!progress.step);
  CHECK(!progress.saved_at);
  CHECK(progress.metrics.empty());
}

}  // namespace progress_test
