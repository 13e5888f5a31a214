#pragma once

#include <chrono>
#include <functional>

#include "kml/http/transport.h"

namespace kml::kube {

/// Uniform in [0, 1).
using Random = std::function<double()>;

/// The delays of client-go's reflector: 0.8 s, doubled up to 30 s, each with up to as much again at random;
/// from the start again where the last one was asked for more than two minutes ago.
class Backoff {
 public:
  explicit Backoff(Random random) : random_(std::move(random)) {}

  std::chrono::milliseconds next(http::SteadyTime now);
  /// All is well: from the start again.
  void reset() { delay_ = {}; }

 private:
  Random random_;
  std::chrono::milliseconds delay_{};
  http::SteadyTime last_{};
};

/// From the machine's generator; one a process.
double random_fraction();

}  // namespace kml::kube
