#include "pipeline/engine/step_claims.h"

#include <utility>

namespace kml::pipeline {

bool StepClaims::take(const std::string& step, const std::string& key) {
  if (KeyClaim claim = cache_.claim(key, run_.name()); claim) {
    claims_[step].push_back(std::move(claim));
    return true;
  }
  release(step);
  awaited_[step] = key;
  return false;
}

void StepClaims::take_if_free(const std::string& step, const std::string& key) {
  if (KeyClaim claim = cache_.claim(key, run_.name()); claim) claims_[step].push_back(std::move(claim));
}

bool StepClaims::stop_awaiting(const std::string& step) {
  const auto awaited = awaited_.find(step);
  if (awaited == awaited_.end()) return true;
  if (!cache_.claim(awaited->second, run_.name())) return false;
  awaited_.erase(awaited);
  return true;
}

std::string StepClaims::holder(const std::string& key) const {
  const std::string run = cache_.claimer(key);
  return run.empty() || run == run_.name() ? "another step" : "run " + run;
}

}  // namespace kml::pipeline
