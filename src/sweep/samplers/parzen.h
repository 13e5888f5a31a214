#pragma once

#include <span>
#include <vector>

#include "kml/sweep/space/space.h"
#include "sweep/samplers/stream.h"
#include "sweep/samplers/unit_cache.h"

namespace kml::sweep {

/// A density over the unit cube: a mixture of one product kernel per trial and a flat one, the prior (S.
/// Watanabe, arXiv 2304.11127, section 3). Kernels are normals truncated at the ends of the axis, integrated
/// over a value's cell for a discrete parameter. For categories, the trial's own one has 1 + 1/n and each
/// other 1/n. If a trial has no value for a parameter, the prior is used.
///
/// A normal is as wide as the larger gap to its neighbours, within [1 / min(100, kernels + 1), 1]. Weights
/// rise linearly with the trial's position in the list; the last 25 and the prior have weight 1.
class Parzen {
 public:
  /// `parameters`: those that the density is over. `slots`: the trials, oldest first.
  Parzen(const Space& space, std::span<const size_t> parameters, const UnitCache& cache,
         std::span<const size_t> slots);

  /// Draws the coordinates of its parameters.
  void draw(Stream& stream, std::vector<double>& unit) const;

  /// The logarithm of the density at points, which are also given by their unit coordinates. Ignores inactive
  /// parameters.
  std::vector<double> log_density(std::span<const Point> points,
                                  std::span<const std::vector<double>> units) const;

 private:
  enum class Shape { smooth, cells, categories };
  struct Kernel {
    double mean, width;
  };
  struct Dimension {
    size_t parameter = 0;
    Shape shape = Shape::smooth;
    std::uint64_t categories = 0;
    std::vector<Kernel> kinds = {};  ///< of cells: each different kernel once
    std::vector<size_t> kind =
        {};  ///< of cells: each kernel's; of categories: the category, `categories` for the prior
    std::vector<double> narrowness = {}, shift = {},
                        norm = {};     ///< of smooth: -((x * narrowness - shift)^2) + norm
    std::vector<Kernel> kernels = {};  ///< of smooth and cells
    std::vector<size_t> rising = {};  ///< of smooth and cells: those that are not the prior's, by their means
  };
  /// Kernels of a density over one smooth parameter, those that are narrow by their means: of ten thousand
  /// only the near ones count.
  struct Near {
    std::vector<double> mean = {};  ///< of the narrow ones, rising
    std::vector<double> narrowness = {}, shift = {}, norm = {},
                        log_weight = {};  ///< narrow ones, then others
    double reach = 0;                     ///< beyond it all narrow ones together are negligible
  };

  void set_widths(Dimension& dimension, const UnitCache& cache, std::span<const size_t> slots,
                  const std::vector<long>& place_of);
  void set_categories(Dimension& dimension, const UnitCache& cache, std::span<const size_t> slots);
  void finish(Dimension& dimension) const;
  void sort_kernels();
  double log_density_near(double unit) const;
  /// [kind] is the logarithm of the kernels' mass at the value.
  std::vector<double> log_masses(const Dimension& dimension, double value) const;

  Space space_;
  size_t kernels_;  ///< with the prior, which is the last
  std::vector<Dimension> dimensions_;
  Near near_;  ///< empty if there are several parameters, or few kernels
  std::vector<double> log_weight_, cumulative_weight_;
};

}  // namespace kml::sweep
