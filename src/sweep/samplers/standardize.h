#pragma once

#include <Eigen/Core>

#include <vector>

namespace kml::sweep {

/// The scores (lower is better) in the form in which a Gaussian process models them: with mean 0 and variance
/// 1. If they are all equal, the result is not finite. Above the median, they only grow with the logarithm,
/// and by at most ten times the width of the better half, so that a few very bad trials do not hide the
/// differences between good ones. This has the same purpose as Vizier's half-rank warping (arXiv 2408.11527,
/// section 3), but is smooth. If the better half spans orders of magnitude and all scores have the same sign,
/// transforms the logarithm of the scores. No finite score overflows, and scores that are multiplied by a
/// power of two give the same result.
Eigen::VectorXd standardized(std::vector<double> scores);

}  // namespace kml::sweep
