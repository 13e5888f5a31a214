#pragma once

#include <Eigen/Core>

#include <vector>

namespace kml::sweep {

/// The scores (lower is better) as a Gaussian process models them: mean 0, variance 1. Not all may be the
/// same.
///
/// Above the median they grow only with the logarithm, in units of the better half's width and to ten of
/// them, so that a few very bad trials do not hide the differences between good ones. This has the purpose of
/// Vizier's half-rank warping (arXiv 2408.11527, section 3), but is smooth. If the better half spans orders
/// of magnitude, the logarithm of the scores is transformed. No finite score overflows, and scores that are
/// multiplied by a power of two give the same result.
Eigen::VectorXd standardized(std::vector<double> scores);

}  // namespace kml::sweep
