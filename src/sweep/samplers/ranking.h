#pragma once

#include <span>
#include <vector>

#include "kml/sweep/trial/history.h"

namespace kml::sweep {

/// The `best` best trials, with the best first. Complete trials come before pruned ones. Pruned trials are
/// ordered by the resource that they reached, then by their last value. Diverged and failed trials come last.
/// Equal trials keep their order. With rungs, trials are compared at the highest rung that more than
/// `dimensions` trials have reached, as in BOHB (arXiv 1807.01774, section 3.2). Trials that have reached it
/// come first, ordered by their value there.
std::vector<const Observation*> best_of(std::span<const Observation* const> trials, size_t best,
                                        std::span<const double> rungs, size_t dimensions);

/// A finite score for each trial, for models of the values; lower is better. The score is the value at the
/// rung that best_of() uses, or the objective. If a trial did not get that far, its score is its last value
/// plus the median gain of the other trials after that point, because early values cannot be compared with
/// later ones. A trial that failed, diverged or has no value gets the worst score of the others. Empty if no
/// trial has a score of its own.
std::vector<double> scores_of(std::span<const Observation* const> trials, std::span<const double> rungs,
                              size_t dimensions);

}  // namespace kml::sweep
