#pragma once

#include <span>
#include <vector>

#include "kml/sweep/space/space.h"
#include "sweep/samplers/stream.h"
#include "sweep/samplers/unit_cache.h"

namespace kml::sweep {

/// A density over the unit cube: a mixture of one product kernel for each trial, and a flat kernel, the prior
/// (S. Watanabe, arXiv 2304.11127, section 3). Kernels are normal distributions, truncated at the ends of the
/// axis. For a discrete parameter, they are integrated over the cell of a value. For categories, the trial's
/// own category has the weight 1 + 1/n, and the others have 1/n, if there are n kernels. If a trial has no
/// value for a parameter, the prior is used. A kernel's width is the larger of the two gaps to its neighbors,
/// limited to [1 / min(100, kernels + 1), 1]. Weights increase linearly with the position of the trial in the
/// list; the last 25 trials and the prior have weight 1.
class Parzen {
 public:
  /// `parameters` are the dimensions of the density. `slots` are the trials, oldest first.
  Parzen(const Space& space, std::span<const size_t> parameters, const UnitCache& cache,
         std::span<const size_t> slots);

  /// Draws coordinates for the density's parameters.
  void draw(Stream& stream, std::vector<double>& unit) const;

  /// The logarithm of the density at these points, whose unit coordinates are given, too. Ignores inactive
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
    std::vector<Kernel> kinds = {};  ///< for cells: the distinct kernels
    std::vector<size_t> kind =
        {};  ///< for cells: indexes in `kinds`; for categories: the category, or `categories` for the prior
    std::vector<double> narrowness = {}, shift = {},
                        norm = {};     ///< for smooth: a kernel is exp(-((x * narrowness - shift)^2) + norm)
    std::vector<Kernel> kernels = {};  ///< for smooth and cells: all kernels
    /// for smooth and cells: the kernels without the prior, sorted by mean
    std::vector<size_t> rising = {};
  };
  /// The kernels of a density over a single smooth parameter, with the narrow kernels sorted by mean. Even
  /// with ten thousand kernels, only those near a point must then be evaluated.
  struct Near {
    std::vector<double> mean = {};  ///< the means of the narrow kernels, sorted
    std::vector<double> narrowness = {}, shift = {}, norm = {},
                        log_weight = {};  ///< first for the narrow kernels, then for the others
    /// beyond this distance, all narrow kernels together are negligible
    double reach = 0;
  };

  void set_widths(Dimension& dimension, const UnitCache& cache, std::span<const size_t> slots,
                  const std::vector<long>& place_of);
  void set_categories(Dimension& dimension, const UnitCache& cache, std::span<const size_t> slots);
  void finish(Dimension& dimension) const;
  void sort_kernels();
  double log_density_near(double unit) const;
  /// The logarithm of the mass that each distinct kernel has at the value, by its index in `kinds`.
  std::vector<double> log_masses(const Dimension& dimension, double value) const;

  Space space_;
  size_t kernels_;  ///< includes the prior, which comes last
  std::vector<Dimension> dimensions_;
  Near near_;  ///< empty unless there is a single smooth parameter, and there are many kernels
  std::vector<double> log_weight_, cumulative_weight_;
};

}  // namespace kml::sweep
