#pragma once

#include <Eigen/Core>

#include <cstdint>
#include <memory>
#include <vector>

#include "sweep/samplers/gaussian_process.h"

namespace kml::sweep {

/// The known facts about one objective: the values of the tried points (to be minimized), and their kernel.
struct KnownObjective {
  Kernel kernel;
  Eigen::VectorXd values;
};

/// A box of values that the front does not dominate yet. For each objective, `low` and `high` are the indexes
/// of the levels between which the box lies; -1 is minus infinity.
struct Box {
  std::vector<int> low, high;
};

/// The levels of each objective, sorted, and boxes between levels. Without overlapping, the boxes cover all
/// values below `reference` that no point of the front dominates.
struct Boxes {
  std::vector<std::vector<double>> levels;
  std::vector<Box> boxes;
};
Boxes boxes_above(const std::vector<std::vector<double>>& front, const std::vector<double>& reference);

/// The logarithm of the expected hypervolume improvement: by how much the volume between the front and a
/// reference point is expected to grow (M. Emmerich et al., "Hypervolume-based expected improvement:
/// monotonicity properties and exact computation", CEC 2011). Unless a very large front is thinned out, the
/// result is exact: the objectives are modeled as independent Gaussian processes, so the expected share of a
/// box is the product of the expected shares of its sides. Treats running trials as if they had their
/// expected values. `rows` are the tried points, and `running` are the points of running trials.
/// `noise_counts` is as in Improvement.
std::unique_ptr<Acquisition> hypervolume_improvement(std::vector<KnownObjective> objectives,
                                                     const Eigen::MatrixXd& rows,
                                                     const Eigen::MatrixXd& running, bool noise_counts);

}  // namespace kml::sweep
