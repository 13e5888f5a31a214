#include "sweep/space/normal.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace kml::sweep {

namespace {

template <size_t N>
double polynomial(const std::array<double, N>& rising, double x) {
  double value = 0;
  for (size_t i = N; i-- > 0;) value = value * x + rising[i];
  return value;
}

// The algorithm AS 241, PPND16: numerators and denominators for the center, the near tail and the far tail.
constexpr std::array kCentre = {3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
                                1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
                                3.3430575583588128105e4, 2.5090809287301226727e3};
constexpr std::array kCentreBelow = {1.0,
                                     4.2313330701600911252e1,
                                     6.8718700749205790830e2,
                                     5.3941960214247511077e3,
                                     2.1213794301586595867e4,
                                     3.9307895800092710610e4,
                                     2.8729085735721942674e4,
                                     5.2264952788528545610e3};
constexpr std::array kNear = {1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                              3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                              2.27238449892691845833e-2, 7.74545014278341407640e-4};
constexpr std::array kNearBelow = {1.0,
                                   2.05319162663775882187e0,
                                   1.67638483018380384940e0,
                                   6.89767334985100004550e-1,
                                   1.48103976427480074590e-1,
                                   1.51986665636164571966e-2,
                                   5.47593808499534494600e-4,
                                   1.05075007164441684324e-9};
constexpr std::array kFar = {6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
                             2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                             2.71155556874348757815e-5, 2.01033439929228813265e-7};
constexpr std::array kFarBelow = {1.0,
                                  5.99832206555887937690e-1,
                                  1.36929880922735805310e-1,
                                  1.48753612908506148525e-2,
                                  7.86869131145613259100e-4,
                                  1.84631831751005468180e-5,
                                  1.42151175831644588870e-7,
                                  2.04426310338993978564e-15};

}  // namespace

double normal_density(double x) {
  return std::exp(-0.5 * x * x - kLogSqrt2Pi);
}

double normal_cdf(double x) {
  return 0.5 * std::erfc(-x * std::numbers::sqrt2 / 2);
}

double log_normal_cdf(double x) {
  if (x > 6) return -normal_cdf(-x);
  if (x > -20) return std::log(normal_cdf(x));
  // The asymptotic series of Mills' ratio, which is precise to 1e-12 at -20, and more precise below.
  const double y = 1 / (x * x);
  return -0.5 * x * x - kLogSqrt2Pi - std::log(-x) + std::log1p(-y * (1 - 3 * y * (1 - 5 * y * (1 - 7 * y))));
}

double log_normal_mass(double a, double b) {
  if (a > 0) return log_normal_mass(-b, -a);
  if (b > 0) return std::log1p(-normal_cdf(a) - normal_cdf(-b));
  const double high = log_normal_cdf(b), low = log_normal_cdf(a);
  return high + std::log1p(-std::exp(low - high));
}

double normal_quantile(double p) {
  const double q = p - 0.5;
  if (std::abs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * polynomial(kCentre, r) / polynomial(kCentreBelow, r);
  }
  double r = std::sqrt(-std::log(q < 0 ? p : 1 - p));
  const bool near = r <= 5;
  r -= near ? 1.6 : 5;
  const double value = near ? polynomial(kNear, r) / polynomial(kNearBelow, r)
                            : polynomial(kFar, r) / polynomial(kFarBelow, r);
  return q < 0 ? -value : value;
}

}  // namespace kml::sweep
