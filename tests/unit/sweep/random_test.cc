#include <doctest/doctest.h>

#include <cmath>

#include "sweep/samplers/sobol.h"
#include "sweep/samplers/stream.h"
#include "sweep/space/normal.h"

namespace random_test {

using namespace kml::sweep;

TEST_CASE("stream: Philox gives the numbers that its authors published") {
  // From Random123's kat_vectors, philox4x32 10.
  using Words = std::array<std::uint32_t, 4>;
  CHECK(philox({0, 0, 0, 0}, {0, 0}) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(philox({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}) == Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("stream: each trial and each purpose has separate random numbers") {
  CHECK(Stream(1, 2, Purpose::draw).next() == Stream(1, 2, Purpose::draw).next());
  CHECK(Stream(1, 2, Purpose::draw).next() != Stream(1, 3, Purpose::draw).next());
  CHECK(Stream(1, 2, Purpose::draw).next() != Stream(2, 2, Purpose::draw).next());
  CHECK(Stream(1, 2, Purpose::draw).next() != Stream(1, 2, Purpose::scan).next());
}

TEST_CASE("stream: each word gives a number between 0 and 1, and a finite normal number") {
  for (const std::uint64_t word : {std::uint64_t{0}, std::uint64_t{1} << 11, std::uint64_t{1} << 63,
                                   ~std::uint64_t{0} << 12, ~std::uint64_t{0} << 11, ~std::uint64_t{0}}) {
    CAPTURE(word);
    CHECK(unit_of(word) > 0);
    CHECK(unit_of(word) < 1);
    CHECK(std::isfinite(normal_quantile(unit_of(word))));
  }
}

TEST_CASE("normal: quantile, cdf and mass agree with published values") {
  CHECK(normal_quantile(0.3) == doctest::Approx(-0.5244005127080409).epsilon(1e-15));
  CHECK(normal_quantile(0.07) == doctest::Approx(-1.4757910281791706).epsilon(1e-15));
  CHECK(normal_quantile(1e-10) == doctest::Approx(-6.361340902404056).epsilon(1e-15));
  CHECK(normal_quantile(1e-300) == doctest::Approx(-37.0470962993612).epsilon(1e-15));
  CHECK(log_normal_cdf(-30) == doctest::Approx(-454.32124395634327).epsilon(1e-13));
  CHECK(log_normal_mass(8, 9) == doctest::Approx(-35.01361859343716).epsilon(1e-12));
  CHECK(log_normal_mass(-1, 1) == doctest::Approx(std::log(0.6826894921370859)).epsilon(1e-14));
  for (double p = 0.001; p < 1; p += 0.0171)
    CHECK(normal_cdf(normal_quantile(p)) == doctest::Approx(p).epsilon(1e-14));
}

TEST_CASE("sobol: the first points are those of Joe and Kuo") {
  // Dimensions 1 to 4 of points 1 to 4, in natural order.
  const double points[4][4] = {
      {.5, .5, .5, .5}, {.25, .75, .75, .75}, {.75, .25, .25, .25}, {.125, .625, .375, .125}};
  for (std::uint32_t i = 0; i < 4; ++i)
    for (size_t dimension = 0; dimension < 4; ++dimension)
      CHECK(sobol_bits(i + 1, dimension) * 0x1p-32 == points[i][dimension]);
  CHECK(sobol_bits(1000, 63) * 0x1p-32 == 0.9990234375);
  CHECK(sobol_bits(1000, 17) * 0x1p-32 == 0.4326171875);
}

TEST_CASE("sobol: scrambling keeps one point in each of 2^k equal intervals") {
  const Sobol sobol(64, 7);
  for (size_t dimension = 0; dimension < 64; ++dimension) {
    std::vector<int> hits(256);
    for (std::uint32_t i = 256; i < 512; ++i) ++hits[static_cast<size_t>(sobol.point(i)[dimension] * 256)];
    CHECK(hits == std::vector<int>(256, 1));
  }
}

}  // namespace random_test
