#include <doctest/doctest.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "job/views/time_limit.h"
#include "job/why/objects.h"
#include "kml/base/text.h"
#include "kml/job/views/task.h"
#include "kml/job/why/why.h"

/// What `kml why arr-3` says about one task must be true of that task.
namespace task_cause_test {

using namespace kml;
using namespace kml::test;

TEST_CASE("why: kml why names a preempted pod only if the pod was of the same task") {
  struct Row {
    const char *of_job, *gone;
    std::optional<int> task;
    bool tells;
  };
  for (const Row& row : std::vector<Row>{{"arr", "arr-2-x7k2p", {}, true},
                                         {"arr", "arr-2-x7k2p", 2, true},
                                         {"arr", "arr-2-x7k2p", 0, false},
                                         {"arr", "arr-12-x7k2p", 2, false},
                                         {"arr-3", "arr-3-1-x7k2p", 3, false},
                                         {"arr-3", "arr-3-1-x7k2p", 1, true}}) {
    CAPTURE(row.gone);
    const Json job = make_job(row.of_job, 1);
    Known known(job, {on_node(make_pod(job, "0"), "gpu-1")});
    known.facts.rank = row.task;
    Json preempted =
        event({{"metadata", {{"uid", "gone"}}}}, "Preempted", "Preempted by pod uid-urgent-0 on node gpu-1");
    preempted["involvedObject"]["name"] = row.gone;
    known.facts.active_pods = std::vector<Json>{on_node(make_pod(make_job("urgent", 1)), "gpu-1")};
    known.facts.events =
        std::vector<Json>{event(job, "SuccessfulCreate", std::string("Created pod: ") + row.gone), preempted};
    CHECK(job::gone_pod_cause(known.facts).has_value() == row.tells);
  }
  // The numbers of the tasks differ from the indexes in the names of the pods.
  Json job = make_job("arr", 1);
  job["spec"]["template"]["metadata"]["annotations"]["kml.dev/tasks"] = "5,2,9-11";
  Known known(job, {});
  Json preempted = event({{"metadata", {{"uid", "gone"}}}}, "Preempted", "Preempted by pod x on node gpu-1");
  preempted["involvedObject"]["name"] = "arr-2-x7k2p";
  known.facts.events =
      std::vector<Json>{event(job, "SuccessfulCreate", "Created pod: arr-2-x7k2p"), preempted};
  known.facts.rank = 9;
  CHECK(job::gone_pod_cause(known.facts));
  known.facts.rank = 2;
  CHECK_FALSE(job::gone_pod_cause(known.facts));
}

TEST_CASE("why: the time limit of a task begins with its job, not with its pod") {
  Json job = make_job("arr");
  job["spec"].update({{"completions", 4},
                      {"completionMode", "Indexed"},
                      {"backoffLimitPerIndex", 0},
                      {"activeDeadlineSeconds", 30}});
  job["status"] = {{"startTime", "2026-01-01T01:59:30Z"}, {"completedIndexes", "0"}};
  const auto ended_pod = [&](const std::string& index, const std::string& time) {
    Json pod = on_node(make_pod(job, index), "a", "Failed");
    pod["metadata"]["annotations"] = {{"batch.kubernetes.io/job-completion-index", index}};
    pod["status"]["startTime"] = "2026-01-01T01:59:50Z";
    pod["status"]["containerStatuses"] = Json::array(
        {{{"name", "main"}, {"state", {{"terminated", {{"exitCode", 143}, {"finishedAt", time}}}}}}});
    return pod;
  };
  const Json alone = job::JobOrTask{job, 2}.as_job({});
  CHECK(rfc3339(*job::ends_by_limit(alone)) == "2026-01-01T02:00:00Z");
  job["status"]["conditions"] = {{{"type", "Failed"}, {"status", "True"}, {"reason", "DeadlineExceeded"}}};
  struct Row {
    const char *what, *end, *summary;
  };
  for (const Row& row :
       {Row{"it ran until the limit", "2026-01-01T02:00:00Z", "its time limit of 30s was reached"},
        Row{"it took a while to stop", "2026-01-01T02:00:20Z", "its time limit of 30s was reached"},
        Row{"it had not begun", "", "its time limit of 30s passed while it waited"}}) {
    CAPTURE(row.what);
    std::vector<Json> pods;
    if (*row.end) pods.push_back(ended_pod("2", row.end));
    std::vector<const Json*> own;
    for (const Json& pod : pods) own.push_back(&pod);
    const Json task = job::JobOrTask{job, 2}.as_job(own);
    Known known(task, pods);
    known.facts.is_task = true;
    CHECK(known.cause().summary == row.summary);
  }
}

}  // namespace task_cause_test
