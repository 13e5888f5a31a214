// The accuracy over seeds has the demo's distribution: trainer/README.md, "Accuracy". Reads MNIST from the
// folder $MNIST. The printed output is tested in run/accuracy.py. This test leaves out the evaluations in
// between, which take most of the time, so that it can try more seeds.

#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <random>
#include <vector>

#include "run/training.h"

using namespace trainer;

namespace {

constexpr int kSeeds = 20;

/// The expected accuracy at a step: mean and deviation over seeds, and the bounds for one seed.
struct Expected {
  double mean, deviation, lowest, highest;
};
constexpr Expected kStep100{0.9148, 0.0036, 0.895, 0.935};
constexpr Expected kStep490{0.9554, 0.0022, 0.940, 0.971};

void check(const std::vector<double>& accuracies, const Expected& expected) {
  double sum = 0, squares = 0;
  for (double accuracy : accuracies) {
    CHECK(accuracy > expected.lowest);
    CHECK(accuracy < expected.highest);
    sum += accuracy;
    squares += std::pow(accuracy - expected.mean, 2);
  }
  CHECK(std::fabs(sum / kSeeds - expected.mean) < 4 * expected.deviation / std::sqrt(kSeeds));
  CHECK(std::sqrt(squares / kSeeds) > 0.45 * expected.deviation);
  CHECK(std::sqrt(squares / kSeeds) < 1.8 * expected.deviation);
}

}  // namespace

TEST_CASE("seeds: the accuracies at steps 100 and 490 have the same distribution as the demo's") {
  const char* folder = getenv("MNIST");
  REQUIRE_MESSAGE(folder, "set MNIST to the folder with the four files");
  Parallel team(usable_cpus());
  const Dataset data = load_dataset(folder, Verify::mnist, team);
  std::vector<Options> options(kSeeds);
  std::random_device random;
  for (Options& run : options) run.seed = uint64_t{random()} << 32 | random();
  std::vector<double> at_100(kSeeds), at_490(kSeeds);
  team.run(kSeeds, [&](size_t run) {
    Parallel alone(1);
    LocalCommunicator communicator;
    const auto training = make_training(options[run], data, alone, communicator, [] { return 0; });
    training->begin();
    for (int step = 1; step <= 490; ++step) {
      if (step == 100) at_100[run] = training->count_correct() / 1e4;
      if (step == 490) at_490[run] = training->count_correct() / 1e4;
      if (step % 10 != 0) training->update(1);
    }
  });
  for (int run = 0; run < kSeeds; ++run) {
    MESSAGE("seed " << options[run].seed << ": " << at_100[run] << " at step 100, " << at_490[run]
                    << " at step 490");
  }
  check(at_100, kStep100);
  check(at_490, kStep490);
}
