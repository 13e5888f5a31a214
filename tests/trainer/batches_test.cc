#include "batches.h"

#include <doctest/doctest.h>

#include <set>

using namespace trainer;

TEST_CASE("batches: every example comes once an epoch, also where a batch spans two epochs") {
  Batches batches(1, 103, 10);
  std::vector<uint32_t> orders[3];
  for (uint64_t position = 0; position < 3 * 103; ++position) {
    orders[position / 103].push_back(batches.example(position));
  }
  for (const auto& order : orders) CHECK(std::set(order.begin(), order.end()).size() == 103);
  CHECK(orders[0] != orders[1]);
  CHECK(orders[1] != orders[2]);
}

TEST_CASE("batches: a run that begins in the middle sees what an undisturbed one sees") {
  Batches whole(5, 100, 7), resumed(5, 100, 7);
  std::vector<uint32_t> expected, seen;
  for (uint64_t p = 0; p < 400; ++p) expected.push_back(whole.example(p));
  for (uint64_t p = resumed.first_position(40); p < 400; ++p) seen.push_back(resumed.example(p));
  CHECK(seen == std::vector(expected.begin() + 280, expected.end()));
}

TEST_CASE("batches: another seed gives another order, and order is no identity") {
  Batches a(1, 1000, 10), b(2, 1000, 10);
  int same = 0, fixed = 0;
  for (uint32_t p = 0; p < 1000; ++p) {
    same += a.example(p) == b.example(p);
    fixed += a.example(p) == p;
  }
  CHECK(same < 10);
  CHECK(fixed < 10);
}
