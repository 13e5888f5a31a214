#include "kml/sweep/space/space.h"

#include <doctest/doctest.h>

#include <cmath>
#include <set>

#include "kml/base/error.h"
#include "sweep/samplers/stream.h"

namespace space_test {

using namespace kml;
using namespace kml::sweep;

namespace {

Parameter real(std::string name, double low, double high, bool log = false, double step = 0) {
  return {.name = std::move(name), .kind = Kind::real, .low = low, .high = high, .step = step, .log = log};
}

Parameter integer(std::string name, double low, double high, bool log = false, double step = 0) {
  return {.name = std::move(name), .kind = Kind::integer, .low = low, .high = high, .step = step, .log = log};
}

Parameter choice(std::string name, std::vector<Json> choices, Kind kind = Kind::categorical) {
  return {.name = std::move(name), .kind = kind, .choices = std::move(choices)};
}

Parameter when(Parameter parameter, std::string parent, std::vector<Json> values) {
  parameter.condition = {std::move(parent), std::move(values)};
  return parameter;
}

/// A network with an optimizer that has its own parameters.
Space conditional() {
  return Space({when(choice("nesterov", {true, false}), "momentum", {0.9}),
                choice("optimizer", {"sgd", "adam"}),
                when(choice("momentum", {0.0, 0.5, 0.9}, Kind::ordinal), "optimizer", {"sgd"}),
                integer("layers", 1, 3)});
}

std::string problems_of(std::vector<Parameter> parameters, const std::vector<std::string>& constraints = {}) {
  try {
    Space space(std::move(parameters), constraints);
  } catch (const Error& error) {
    std::string all;
    for (const Problem& problem : error.problems) all += problem.path + ": " + problem.text + "\n";
    return all;
  }
  return {};
}

}  // namespace

TEST_CASE("space: values keep their types and are printed as a user would write them") {
  const Space space({real("lr", 0, 0.5, false, 0.1), integer("batch", 16, 64, false, 16),
                     choice("act", {"relu", nullptr, 2})});
  CHECK(space.assignment(space.from_unit(std::vector{0.55, 0.99, 0.5})).dump() ==
        R"({"act":null,"batch":64,"lr":0.3})");
  CHECK(space.size() == 6 * 4 * 3);
}

TEST_CASE("space: the greatest integers are not rounded") {
  constexpr double kGreat = 1234567890123456, kGreatest = 9007199254740992;
  CHECK(Space({integer("id", 1, kGreat)}).value_at(0, 1) == kGreat);
  CHECK(Space({integer("id", kGreatest - 5, kGreatest)}).value_at(0, 0.99) == kGreatest);
  CHECK(Space({integer("id", 1, kGreat, true)}).value_at(0, 1) == kGreat);
  CHECK(Space({real("x", 1, 1 + 2 * 0.1, false, 0.1)}).value_at(0, 1) == 1.2);
}

TEST_CASE(
    "space: every point of the unit cube gives a value, and the point of a value gives the same value "
    "again") {
  const Space space({real("a", 1e-5, 1e-1, true), integer("b", 1, 1000, true), integer("c", -3, 17, false, 4),
                     real("d", -1, 1), choice("e", {1, 2, 4, 8}, Kind::ordinal), real("f", 3, 3),
                     real("g", 2e-4, 2e-4, true), integer("h", 5, 5, true)});
  Stream stream(1, 1, Purpose::draw);
  for (int i = 0; i < 2000; ++i) {
    std::vector<double> unit(space.dimensions());
    for (double& u : unit) u = i == 0 ? 0 : i == 1 ? 1 : stream.uniform();
    const Point point = space.from_unit(unit);
    for (size_t k = 0; k < 4; ++k) {
      CHECK(point[k] >= space.parameters()[k].low);
      CHECK(point[k] <= space.parameters()[k].high);
    }
    const Point back = space.from_unit(space.to_unit(point));
    for (size_t k = 0; k < point.size(); ++k) CHECK(back[k] == doctest::Approx(point[k]).epsilon(1e-12));
    CHECK(same(space.point(space.assignment(point)), point));
    for (size_t k : {1, 2, 4}) {
      const auto [begin, end] = space.cell(k, point[k]);
      CHECK(unit[k] >= begin - 1e-12);
      CHECK(unit[k] <= end + 1e-12);
    }
  }
}

TEST_CASE("space: an even draw of integers reaches both ends as often as the middle") {
  const Space space({integer("n", 1, 4)});
  std::vector<int> hits(5);
  for (int i = 0; i < 400; ++i) ++hits[static_cast<size_t>(space.from_unit(std::vector{(i + 0.5) / 400})[0])];
  CHECK(hits == std::vector{0, 100, 100, 100, 100});
}

TEST_CASE("space: a parameter is absent if its condition is false, whatever the order of declaration") {
  const Space space = conditional();
  CHECK(space.assignment(space.from_unit(std::vector{0.1, 0.9, 0.1, 0.1})).dump() ==
        R"({"layers":1,"optimizer":"adam"})");
  CHECK(space.assignment(space.from_unit(std::vector{0.1, 0.1, 0.9, 0.1})).dump() ==
        R"({"layers":1,"momentum":0.9,"nesterov":true,"optimizer":"sgd"})");
}

TEST_CASE("space: a grid has each point once, without inactive parameters, the first parameter outermost") {
  const Space space = conditional();
  REQUIRE(space.size() == 15);  // (adam + sgd * (0, 0.5, 0.9 * nesterov)) * layers
  std::set<std::string> points;
  for (std::uint64_t i = 0; i < 15; ++i) points.insert(space.assignment(space.grid_point(i)).dump());
  CHECK(points.size() == 15);
  const Space plain({integer("a", 1, 2), choice("b", {"x", "y"})});
  CHECK(plain.assignment(plain.grid_point(1)).dump() == R"({"a":1,"b":"y"})");
  CHECK(plain.assignment(plain.grid_point(2)).dump() == R"({"a":2,"b":"x"})");
  CHECK_FALSE(Space({real("x", 0, 1)}).size());
  CHECK_FALSE(Space({integer("x", 0, 1e9), integer("y", 0, 1e9)}).size());
}

TEST_CASE("space: invalid values are rejected, with the reason") {
  const Space space = conditional();
  const auto why = [&](const char* text) -> std::string {
    try {
      space.point(Json::parse(text));
    } catch (const Error& error) {
      return error.why;
    }
    return {};
  };
  CHECK(why(R"({"layers":1,"optimizer":"adam"})").empty());
  CHECK(why(R"({"optimizer":"adam"})") == "layers is missing");
  CHECK(why(R"({"layers":1.5,"optimizer":"adam"})") == "layers cannot be 1.5");
  CHECK(why(R"({"layers":1,"optimizer":"adam","momentum":0.9})") ==
        "momentum is inactive with the other values");
  CHECK(why(R"({"layers":1,"optimizer":"adam","lr":0.9})") == "\"lr\" is not a parameter");
}

TEST_CASE("space: constraints are expressions over parameters") {
  const Space space({integer("batch", 1, 4096), choice("accum", {1, 2, 4}, Kind::ordinal),
                     real("learning-rate", 0, 1), when(integer("heads", 1, 8), "batch", {8})},
                    {"batch * accum <= 64", "\"learning-rate\" + 2 * (0.1 - 0.05) >= 0.3", "heads / 2 > 1"});
  const auto allows = [&](double batch, double accum_index, double rate, double heads = NAN) {
    return space.allows({batch, accum_index, rate, heads});
  };
  CHECK(allows(16, 2, 0.5));
  CHECK_FALSE(allows(17, 2, 0.5));
  CHECK(allows(16, 2, 0.2));  // 0.2 + 2 * 0.05 is slightly less than 0.3 in binary
  CHECK_FALSE(allows(16, 2, 0.19));
  CHECK(allows(8, 2, 0.5, 3));
  CHECK_FALSE(allows(8, 2, 0.5, 2));
}

TEST_CASE("space: problems are reported together") {
  CHECK(problems_of(
            {real("a", 1, 0), real("a", 0, 1, true), choice("c", {1, 1}), choice("d", {2, 1}, Kind::ordinal)},
            {"a <", "b < 1", "c < 2", "a < 1 < 2"}) ==
        "parameters[0]: \"a\" has a minimum above its maximum\n"
        "parameters[1]: \"a\" is given twice\n"
        "parameters[1]: \"a\" has a logarithmic scale, so its minimum must be above 0\n"
        "parameters[2]: \"c\" lists the value 1 twice\n"
        "parameters[3]: \"d\" is ordinal, but its values are not in ascending order\n"
        "constraints[0]: constraint \"a <\" has an error at character 4; expected a parameter's name or "
        "a number; for example: batch * accum <= 4096\n"
        "constraints[1]: constraint \"b < 1\" names \"b\", which is not a parameter\n"
        "constraints[2]: constraint \"c < 2\" uses c, which is categorical, as a number; a constraint "
        "needs numbers: make the parameter discrete, or leave it out\n"
        "constraints[3]: constraint \"a < 1 < 2\" has an error at character 7; expected the end: "
        "a constraint has one comparison; for example: batch * accum <= 4096\n");
  CHECK(problems_of({when(integer("a", 1, 2), "b", {1}), when(integer("b", 1, 2), "a", {1})}) ==
        "parameters[0]: \"a\" depends on a cycle of conditions\n"
        "parameters[1]: \"b\" depends on a cycle of conditions\n");
  CHECK(problems_of({choice("a", {"x"}), when(integer("b", 1, 2), "a", {"y"})}) ==
        "parameters[1]: \"b\" depends on a being \"y\", which is not one of its values\n");
  CHECK(problems_of({choice("a", {"x"}), when(integer("b", 1, 2), "optimizer", {"y"})}) ==
        "parameters[1]: \"b\" depends on \"optimizer\", which is not a parameter\n");
}

}  // namespace space_test
