#include <doctest/doctest.h>

#include <set>

#include "kml/base/error.h"
#include "kml/sweep/samplers/sampler.h"

namespace fixed_samplers_test {

using namespace kml;
using namespace kml::sweep;

namespace {

const Parameter kRate = {.name = "lr", .low = 1e-4, .high = 1, .log = true};
const Parameter kLayers = {.name = "layers", .kind = Kind::integer, .low = 1, .high = 4};
const Parameter kBatch = {.name = "batch", .kind = Kind::ordinal, .choices = {16, 32, 64}};

/// All proposals until the space is exhausted.
std::vector<std::string> all(Sampler& sampler, const Space& space) {
  std::vector<std::string> found;
  while (const auto point = sampler.propose(found.size(), {}))
    found.push_back(space.assignment(*point).dump());
  return found;
}

}  // namespace

TEST_CASE(
    "samplers: grid, random and sobol try each point of a finite space once, then say that it is exhausted") {
  const Space space({kLayers, kBatch}, {"layers * batch <= 128"});
  for (const char* name : {"grid", "random", "sobol"}) {
    CAPTURE(name);
    const auto sampler = make_sampler(name, space, {.seed = 3});
    const std::vector<std::string> found = all(*sampler, space);
    CHECK(found.size() == 10);
    CHECK(std::set(found.begin(), found.end()).size() == 10);
  }
}

TEST_CASE("samplers: conditions and constraints are met at the same time, and no allowed point is left out") {
  const Parameter momentum = {.name = "momentum",
                              .kind = Kind::ordinal,
                              .choices = {0, 0.5, 0.9},
                              .condition = Condition{"optimizer", {"sgd"}}};
  const Parameter nesterov = {.name = "nesterov",
                              .kind = Kind::categorical,
                              .choices = {true, false},
                              .condition = Condition{"momentum", {0.9}}};
  const Space space({{.name = "optimizer", .kind = Kind::categorical, .choices = {"sgd", "adam"}},
                     momentum,
                     nesterov,
                     kLayers,
                     kBatch},
                    {"layers * batch <= 128", "momentum * layers < 2"});
  // 10 combinations of (layers, batch) are allowed; for layers 1 to 4 these are 3, 3, 2, 2. adam and momentum
  // 0 allow all of them; momentum 0.5 allows up to 3 layers; momentum 0.9 up to 2 layers, with and without
  // nesterov.
  const size_t allowed = 10 + 10 + 8 + 2 * 6;
  for (const char* name : {"grid", "random", "sobol"}) {
    CAPTURE(name);
    const auto sampler = make_sampler(name, space, {.seed = 3});
    const std::vector<std::string> found = all(*sampler, space);
    CHECK(found.size() == allowed);
    CHECK(std::set(found.begin(), found.end()).size() == allowed);
    for (const std::string& text : found) CHECK(space.allows(space.point(Json::parse(text))));
  }
}

TEST_CASE("samplers: a grid over a continuous parameter is rejected") {
  CHECK_THROWS_WITH(make_sampler("grid", Space({kRate, kLayers})), "grid needs a finite search space");
}

TEST_CASE("samplers: an unknown name is rejected") {
  CHECK_THROWS_AS(make_sampler("gird", Space({kLayers})), Error);
}

TEST_CASE("samplers: a fixed proposal depends only on seed and number, not on earlier proposals") {
  const Space space({kRate, kLayers});
  for (const char* name : {"random", "sobol"}) {
    CAPTURE(name);
    const auto one = make_sampler(name, space, {.seed = 3}), two = make_sampler(name, space, {.seed = 3});
    for (std::uint64_t trial = 0; trial < 50; ++trial) one->propose(trial, {});
    for (const std::uint64_t trial : {49, 7, 0, 23})
      CHECK(*one->propose(trial, {}) == *two->propose(trial, {}));
    CHECK(*make_sampler(name, space, {.seed = 4})->propose(7, {}) != *one->propose(7, {}));
  }
}

TEST_CASE("samplers: constraints that nothing satisfies end the search instead of hanging it") {
  CHECK_FALSE(make_sampler("random", Space({kRate}, {"lr > 2"}))->propose(0, {}));
}

}  // namespace fixed_samplers_test
