#include "live/commands/engines_there.h"

#include <doctest/doctest.h>

namespace engines_there_test {

using namespace kml;
using namespace kml::cli;

namespace {

Json object(const char* uid, const char* version) {
  return {{"metadata", {{"uid", uid}, {"resourceVersion", version}}}};
}

}  // namespace

TEST_CASE(
    "live rows: a sweep in the cluster is read until it is over, and again if it is resumed or replaced") {
  EnginesThere there;
  CHECK(there.must_read("a", object("u1", "5")));
  CHECK(there.must_read("a", object("u1", "5")));  // it is not over
  there.end("a");
  CHECK_FALSE(there.must_read("a", object("u1", "5")));
  SUBCASE("resumed") {
    CHECK(there.must_read("a", object("u1", "6")));
    CHECK(there.must_read("a", object("u1", "6")));
    there.end("a");
    CHECK_FALSE(there.must_read("a", object("u1", "6")));
  }
  SUBCASE("another one with that name") {
    CHECK(there.must_read("a", object("u2", "5")));
  }
  SUBCASE("deleted, and then created again") {
    CHECK(there.take_gone().empty());
    CHECK(there.take_gone() == std::vector<std::string>{"a"});
    CHECK(there.must_read("a", object("u1", "5")));
  }
}

TEST_CASE("live rows: engines that are no longer listed are reported once") {
  EnginesThere there;
  there.must_read("a", object("u1", "1"));
  there.must_read("b", object("u2", "1"));
  CHECK(there.take_gone().empty());
  there.must_read("b", object("u2", "1"));
  CHECK(there.take_gone() == std::vector<std::string>{"a"});
  there.must_read("b", object("u2", "1"));
  CHECK(there.take_gone().empty());
}

}  // namespace engines_there_test
