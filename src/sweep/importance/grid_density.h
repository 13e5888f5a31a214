#pragma once

#include <vector>

namespace kml::sweep {

/// The mass of each cell of an even grid, from the counts of what was seen there: a normal, cut off at the
/// grid's ends, for each occupied cell, as wide as Scott's rule has it ("Multivariate Density Estimation",
/// 1992), and a wide one in the middle, the prior, that weighs as one observation.
std::vector<double> grid_density(const std::vector<double>& counts);

/// The same for categories: each kernel gives 1 to its own and 1 / kernels to every one.
std::vector<double> category_density(const std::vector<double>& counts);

}  // namespace kml::sweep
