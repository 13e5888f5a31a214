#pragma once

#include <Eigen/Core>

#include <cstdint>
#include <memory>
#include <vector>

#include "sweep/samplers/gaussian_process.h"

namespace kml::sweep {

/// The data of one objective: the values of the tried points, to be minimized, and their kernel.
struct KnownObjective {
  Kernel kernel;
  Eigen::VectorXd values;
};

/// A box of the values that the front does not dominate yet: for each objective, the index of its lower and
/// of its upper end among the levels; -1 is minus infinity.
struct Box {
  std::vector<int> low, high;
};

/// The levels of each objective in increasing order, and boxes between them that cover, without overlap, all
/// values below `reference` that no point of the front dominates.
struct Boxes {
  std::vector<std::vector<double>> levels;
  std::vector<Box> boxes;
};
Boxes boxes_above(const std::vector<std::vector<double>>& front, const std::vector<double>& reference);

/// The logarithm of the expected hypervolume improvement: by how much the volume that the front dominates,
/// below a reference point, is expected to grow (M. Emmerich et al., "Hypervolume-based expected improvement:
/// monotonicity properties and exact computation", CEC 2011). Exact: the objectives are independent
/// processes, so a box's share is the product of what each objective is expected to cover of the box's side.
/// Running trials are treated as if they had their expected values.
///
/// `rows` are the tried points, `running` those of the running trials; `noise_counts` as in Improvement.
std::unique_ptr<Acquisition> hypervolume_improvement(std::vector<KnownObjective> objectives,
                                                     const Eigen::MatrixXd& rows,
                                                     const Eigen::MatrixXd& running, bool noise_counts);

}  // namespace kml::sweep
