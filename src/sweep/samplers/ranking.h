#pragma once

#include <span>
#include <vector>

#include "kml/sweep/trial.h"

namespace kml::sweep {

/// The `best` best trials, best first. Complete ones come before pruned ones; those rank by how far they
/// came, then by their last value; diverged and failed ones come last. Equal ones keep their order.
///
/// With rungs, trials are compared at the highest rung that more than `dimensions` trials reached, as BOHB
/// does (arXiv 1807.01774, section 3.2): those that got there come first, by their value there.
std::vector<const Observation*> best_of(std::span<const Observation* const> trials, size_t best,
                                        std::span<const double> rungs, size_t dimensions);

/// One finite number a trial, lower is better, for models of the values themselves: the value at that rung,
/// or the objective. One that did not come so far has its last value, and what others gained from there on,
/// at the median: values of early steps are no match for later ones. Those without any have the worst of the
/// others. Empty if no trial has any.
std::vector<double> scores_of(std::span<const Observation* const> trials, std::span<const double> rungs,
                              size_t dimensions);

}  // namespace kml::sweep
