#include "kml/job/views/task.h"

#include <doctest/doctest.h>

namespace task_test {

using namespace kml;
using namespace kml::jobs;

TEST_CASE("task: as a job of its own it has its index's retries, not those of the whole job") {
  const Json job = {{"kind", "Job"},
                    {"spec",
                     {{"completions", 5},
                      {"parallelism", 5},
                      {"completionMode", "Indexed"},
                      {"backoffLimit", 2147483647},
                      {"backoffLimitPerIndex", 2}}}};
  const Json alone = JobOrTask{job, 3}.as_job({});
  CHECK(int_at(alone, {"spec", "backoffLimit"}) == 2);
  CHECK(int_at(alone, {"spec", "completions"}) == 1);
}

TEST_CASE("task: ranges of indexes hold their ends, and nothing between two of them") {
  const IndexRanges ranges("0,2-5,9");
  for (int index : {0, 2, 3, 5, 9}) CHECK(ranges.contains(index));
  for (int index : {-1, 1, 6, 8, 10}) CHECK(!ranges.contains(index));
  CHECK(!IndexRanges("").contains(0));
}

}  // namespace task_test
