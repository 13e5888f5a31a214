#include "job/queue/simulate.h"

#include <doctest/doctest.h>

namespace simulate_test {

using namespace kml::job;
using std::chrono::seconds;

namespace {

using Starts = std::vector<std::optional<seconds>>;

/// Nodes with these numbers of free GPUs. All shapes fit all nodes; shape i requests i + 1 GPUs.
Cluster cluster(std::vector<int64_t> free) {
  Cluster cluster;
  for (int64_t gpus : free) cluster.free.push_back({gpus});
  for (int64_t gpus = 1; gpus <= 8; ++gpus) {
    cluster.shapes.push_back({gpus});
    cluster.node_suits.emplace_back(free.size(), true);
  }
  return cluster;
}

}  // namespace

TEST_CASE("simulation: waiting jobs start in order when enough is free") {
  Cluster one = cluster({0});
  one.running = {{0, {4}, 0}, {0, {4}, 1}};
  one.waiting = {{3, 1}, {7, 1}};  // 4 GPUs, then 8
  CHECK(simulate(one, {{seconds(10), seconds(30)}, {seconds(5), {}}}) == Starts{seconds(10), seconds(30)});
  // A job that runs forever leaves no room for a job that needs all GPUs.
  CHECK(simulate(one, {{seconds(10), {}}, {seconds(5), {}}}) == Starts{seconds(10), std::nullopt});
}

TEST_CASE("simulation: small jobs overtake a large one that does not fit, as kube-scheduler lets them") {
  Cluster one = cluster({0});
  one.running = {{0, {2}, 0}, {0, {6}, 1}};
  one.waiting = {{7, 1}, {1, 1}};  // 8 GPUs, then 2
  CHECK(simulate(one, {{seconds(10), seconds(20)}, {{}, seconds(100)}}) == Starts{seconds(110), seconds(10)});
}

TEST_CASE("simulation: a gang's pods hold their nodes until the gang's last pod has a node") {
  Cluster two = cluster({0, 0});
  two.running = {{0, {4}, 0}, {1, {4}, 1}};
  two.waiting = {{3, 2}, {3, 1}};
  CHECK(simulate(two, {{seconds(10), seconds(50)}, {seconds(7), {}}}) == Starts{seconds(50), seconds(57)});
}

TEST_CASE("simulation: an unsuitable node has no room") {
  Cluster two = cluster({0, 8});
  two.node_suits[0][1] = false;
  two.running = {{0, {1}, 0}};
  two.waiting = {{0, 1}};
  CHECK(simulate(two, {{seconds(3)}, {{}}}) == Starts{seconds(3)});
}

TEST_CASE("simulation: a job that arrives later may start first if it fits or has a higher priority") {
  Cluster one = cluster({0});
  one.running = {{0, {4}, 0}, {0, {4}, 1}};
  one.waiting = {{7, 1}};  // 8 GPUs
  Course course = {{seconds(10), seconds(20)}, {{}}};
  course.arrivals = {{seconds(12), {3, 1}, seconds(30)}};
  CHECK(simulate(one, course) == Starts{seconds(42)});
  course.arrivals = {{seconds(5), {7, 1, 9}, seconds(100)}};
  CHECK(simulate(one, course) == Starts{seconds(120)});
}

}  // namespace simulate_test
