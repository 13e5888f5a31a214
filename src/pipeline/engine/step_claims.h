#pragma once

#include <map>
#include <string>
#include <vector>

#include "kml/pipeline/engine/cache.h"
#include "kml/pipeline/engine/run_state.h"

namespace kml::pipeline {

/// The claims that a run's steps hold. See KeyClaim: while a step holds a claim, other runs and steps wait
/// for the same result.
class StepClaims {
 public:
  /// The arguments must outlive this object.
  StepClaims(const Cache& cache, const RunState& run) : cache_(cache), run_(run) {}

  /// Claims the key for the step. If another step or run holds the key, returns false: the step then gives up
  /// its other claims, and waits for this key.
  bool take(const std::string& step, const std::string& key);
  /// Claims the key unless another step or run holds it.
  void take_if_free(const std::string& step, const std::string& key);
  void release(const std::string& step) { claims_.erase(step); }

  bool is_any_awaited() const { return !awaited_.empty(); }
  /// Returns false if the step waits for a key that another step or run still holds.
  bool stop_awaiting(const std::string& step);
  /// Who holds the key: "run iris-1", or "another step" of this run.
  std::string holder(const std::string& key) const;

 private:
  const Cache& cache_;
  const RunState& run_;
  std::map<std::string, std::vector<KeyClaim>> claims_;  ///< by step
  std::map<std::string, std::string> awaited_;           ///< the key that each step waits for
};

}  // namespace kml::pipeline
