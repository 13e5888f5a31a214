#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace kml::sweep {

/// The values of a trial's objectives, in their order; lower is better.
using Costs = std::vector<double>;

/// Whether `a` is better than `b` in one objective at least, and worse in none.
bool dominates(const Costs& a, const Costs& b);

/// The rank of each trial: 0 on the Pareto front, which nothing dominates; 1 on the front of the others; and
/// so on (K. Deb et al., "A fast and elitist multiobjective genetic algorithm: NSGA-II", 2002).
std::vector<size_t> ranks_of(std::span<const Costs> trials);

}  // namespace kml::sweep
