#include "kml/job/views/task.h"

#include <doctest/doctest.h>

namespace task_test {

using namespace kml;
using namespace kml::job;

TEST_CASE("task: the name of a task is that of its array, with a number after \"-\" or \"/\"") {
  struct Row {
    const char *text, *array;
    int number;
  };
  for (const Row& row :
       {Row{"arr-3", "arr", 3}, Row{"arr/3", "arr", 3}, Row{"job/arr-3", "arr", 3},
        Row{"my-arr/12", "my-arr", 12}, Row{"my-arr-12", "my-arr", 12}, Row{"job/3", "job", 3}}) {
    CAPTURE(row.text);
    const auto task = parse_task_name(row.text);
    REQUIRE(task);
    CHECK(task->array == row.array);
    CHECK(task->number == row.number);
  }
  for (const char* text : {"", "arr", "arr-", "arr/", "-3", "/3", "arr-x", "arr 3", "@"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_task_name(text));
  }
}

TEST_CASE("task: as a separate job, a task has the retries of its index, not those of the whole job") {
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

TEST_CASE("task: a task that had not started when its job failed has failed for the same reason") {
  Json job = {{"kind", "Job"},
              {"spec", {{"completions", 3}, {"completionMode", "Indexed"}, {"backoffLimitPerIndex", 0}}},
              {"status", {{"completedIndexes", "0"}, {"failedIndexes", "1"}}}};
  const auto reason = [&](int task) {
    const Json alone = JobOrTask{job, task}.as_job({});
    const Json& conditions = array_at(alone, {"status", "conditions"});
    return conditions.empty() ? "" : string_at(conditions[0], {"reason"});
  };
  CHECK(reason(2).empty());
  job["status"]["conditions"] = {{{"type", "Failed"}, {"status", "True"}, {"reason", "DeadlineExceeded"}}};
  CHECK(reason(0) == "CompletionsReached");
  CHECK(reason(1) == "BackoffLimitExceeded");
  CHECK(reason(2) == "DeadlineExceeded");
}

TEST_CASE("task: for an array with thousands of tasks, not all pods are read") {
  const auto which = [](long long completions, std::optional<int> task) {
    const Json job = {{"apiVersion", "batch/v1"},
                      {"kind", "Job"},
                      {"metadata", {{"name", "big"}}},
                      {"spec", {{"completions", completions}, {"completionMode", "Indexed"}}}};
    return telling_pods({job, task});
  };
  CHECK(which(100, {}).field_selector.empty());
  CHECK(which(100, 7).label_selector == which(100, {}).label_selector);
  CHECK(which(100'000, {}).field_selector == "status.phase!=Succeeded");
  CHECK(which(100'000, 7).field_selector.empty());
  CHECK(which(100'000, 7).label_selector.ends_with(",batch.kubernetes.io/job-completion-index=7"));
}

TEST_CASE("task: a range of indexes includes its ends, and an index between two ranges is in neither") {
  const IndexRanges ranges("0,2-5,9");
  for (int index : {0, 2, 3, 5, 9}) CHECK(ranges.contains(index));
  for (int index : {-1, 1, 6, 8, 10}) CHECK(!ranges.contains(index));
  CHECK(!IndexRanges("").contains(0));
}

}  // namespace task_test
