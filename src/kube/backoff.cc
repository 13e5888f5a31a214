#include "kube/backoff.h"

#include <algorithm>
#include <random>

namespace kml::kube {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirst{800};
constexpr milliseconds kLongest{30'000};
constexpr std::chrono::minutes kForgotten{2};

}  // namespace

milliseconds Backoff::next(http::SteadyTime now) {
  delay_ = delay_.count() == 0 || now - last_ > kForgotten ? kFirst : std::min(delay_ * 2, kLongest);
  last_ = now;
  return delay_ + std::chrono::duration_cast<milliseconds>(delay_ * random_());
}

double random_fraction() {
  static std::mt19937 generator{std::random_device{}()};
  return std::uniform_real_distribution<double>(0, 1)(generator);
}

}  // namespace kml::kube
