#include "launch/launch.h"

#include <doctest/doctest.h>

#include <map>

#include "base/error.h"

using namespace trainer;

namespace {

Launch launch(const std::map<std::string, const char*>& environment) {
  return find_launch([&](const char* name) {
    const auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second;
  });
}

}  // namespace

TEST_CASE("launch: who this process is, and which variable says so") {
  CHECK(launch({}).world == 1);
  CHECK(launch({}).source == "single process");
  const Launch pytorch = launch({{"WORLD_SIZE", "3"}, {"RANK", "2"}, {"PET_NNODES", "3"}});
  CHECK(pytorch.world == 3);
  CHECK(pytorch.rank == 2);
  CHECK(pytorch.source == "WORLD_SIZE");
  CHECK(launch({{"PET_NNODES", "2"}, {"PET_NODE_RANK", "1"}}).rank == 1);
  CHECK(launch({{"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_RANK", "3"}}).rank == 3);
}

TEST_CASE("launch: a variable that is no number is named") {
  CHECK_THROWS_WITH_AS(launch({{"WORLD_SIZE", "two"}}), "WORLD_SIZE=two", Error);
}
