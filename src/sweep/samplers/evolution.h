#pragma once

#include <Eigen/Core>
#include <functional>
#include <span>
#include <vector>

namespace kml::sweep {

/// The state of CMA-ES: N. Hansen, "The CMA Evolution Strategy: A Tutorial", arXiv 1604.00772, with its
/// default constants and negative weights. Places are in the unit cube.
class Evolution {
 public:
  /// How far it is along an axis from that place to the nearest other value; 0 where it is continuous.
  using ToOther = std::function<double(size_t axis, double place)>;

  Evolution(Eigen::VectorXd mean, int population, ToOther to_other);

  static int default_population(long dimensions);
  int population() const { return population_; }

  /// A place from standard normal numbers; may be outside of the cube.
  Eigen::VectorXd place(const Eigen::VectorXd& normal) const;
  /// Moves on by one generation: as many places as the population, best first.
  void advance(std::span<const Eigen::VectorXd> places);
  /// Whether it is too narrow to find anything new.
  bool is_narrow() const;

 private:
  void set_margin();

  long n_;
  int population_;
  ToOther to_other_;
  std::vector<double> weights_;
  double mu_eff_ = 0, c_sigma_ = 0, d_sigma_ = 0, c_c_ = 0, c_1_ = 0, c_mu_ = 0, expected_length_ = 0;
  Eigen::VectorXd mean_, path_sigma_, path_c_;
  Eigen::MatrixXd covariance_, axes_;  ///< axes_: the eigenvectors
  Eigen::VectorXd lengths_;            ///< the roots of the eigenvalues
  double sigma_ = 1.0 / 6;
  /// Stretches the axes of discrete parameters so that the mean's own value is left with at least the
  /// probability 1 / (n * population): the margin of R. Hamano et al., arXiv 2205.13482.
  Eigen::VectorXd margin_;
  int generations_ = 0;
};

}  // namespace kml::sweep
