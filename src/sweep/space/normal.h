#pragma once

namespace kml::sweep {

inline constexpr double kLogSqrt2Pi = 0.91893853320467274178;  ///< log(sqrt(2 pi))

/// The density of the standard normal distribution. All functions here are precise even in the tails: their
/// relative errors are about 1e-12 there, and about 1e-15 elsewhere.
double normal_density(double x);
double normal_cdf(double x);
/// The logarithm of normal_cdf; finite down to x = -1e150.
double log_normal_cdf(double x);
/// log(cdf(b) - cdf(a)) for a < b, without cancellation in the tails.
double log_normal_mass(double a, double b);
/// The inverse of normal_cdf on (0, 1), by the algorithm AS 241 (Wichura, Applied Statistics 37, 1988).
double normal_quantile(double p);

}  // namespace kml::sweep
