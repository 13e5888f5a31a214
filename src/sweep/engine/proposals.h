#pragma once

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "kml/sweep/engine/sweep_state.h"
#include "kml/sweep/samplers/sampler.h"
#include "kml/sweep/spec/sweep_spec.h"
#include "kml/sweep/stopping/stopping.h"

namespace kml::sweep {

/// Asks the sampler for the next trial's point. The request only depends on the journal so far, so a replay
/// of the journal gets the same points.
class Proposals {
 public:
  explicit Proposals(const SweepState& state);

  /// Whether the results that the next proposal needs are available. Always true unless the sweep is
  /// deterministic.
  bool is_ready() const;
  struct Proposal {
    Point point;
    std::optional<Lineage> lineage;
  };
  /// The next proposal; empty if Sampler::propose() returns none.
  std::optional<Proposal> next();

 private:
  void take_history();
  void learn(const Trial& trial);

  const SweepState& state_;
  std::unique_ptr<Sampler> sampler_;
  std::vector<Observation> known_, running_;
  std::unordered_map<std::uint64_t, size_t> place_of_;  ///< the index of each trial in known_
  size_t ended_taken_ = 0;
};

}  // namespace kml::sweep
