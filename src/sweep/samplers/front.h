#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace kml::sweep {

/// The values of a trial's objectives, in order; lower is better.
using Costs = std::vector<double>;

/// Whether `a` is better than `b` in at least one objective, and not worse in any.
bool dominates(const Costs& a, const Costs& b);

/// The rank of each trial: 0 for trials on the Pareto front, which no other trial dominates; 1 for the front
/// of the remaining trials; and so on (K. Deb et al., "A fast and elitist multiobjective genetic algorithm:
/// NSGA-II", 2002).
std::vector<size_t> ranks_of(std::span<const Costs> trials);

}  // namespace kml::sweep
