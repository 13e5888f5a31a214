#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "job/why/causes.h"
#include "job/why/objects.h"
#include "kml/base/text.h"
#include "kml/kube/objects/gang.h"

namespace start_order_test {

using namespace kml;
using namespace kml::test;

namespace {

constexpr const char* kFull = "0/1 nodes are available: 1 Insufficient nvidia.com/gpu.";

struct Pod {
  std::string name;
  int gpus = 1;
  int priority = 0;
  std::string node = {};  ///< the pod's node; empty if the pod waits
  std::string created = "2026-01-01T00:00:00Z";
  std::string message = kFull;
};

Json made(const Pod& its) {
  Json object = make_pod(make_job(its.name, its.gpus));
  object["metadata"]["creationTimestamp"] = its.created;
  object["spec"]["priority"] = its.priority;
  return its.node.empty() ? unschedulable(object, its.message) : on_node(object, its.node);
}

/// The cause that `why` finds for the waiting job "own" among these pods.
job::Cause cause_among(const Pod& own, const std::vector<Pod>& others, std::vector<Json> nodes,
                       std::vector<Json> jobs = {}) {
  Known known(make_job(own.name, own.gpus), {made(own)});
  known.facts.nodes = std::move(nodes);
  known.facts.active_pods = std::vector<Json>{made(own)};
  for (const Pod& other : others) known.facts.active_pods->push_back(made(other));
  known.facts.priorities = std::vector<Json>{};
  known.facts.other_jobs = std::move(jobs);
  return known.cause();
}

std::string at(int second) {
  return "2026-01-01T00:00:" + std::to_string(10 + second) + "Z";
}

}  // namespace

TEST_CASE("start order: if jobs ahead would take what a cancelled job frees, no cancellation is suggested") {
  const std::vector<Pod> others = {{"exp-1", 1, 0, "a"},       {"exp-2", 1, 0, "a"},
                                   {"exp-3", 1, 0, "", at(0)}, {"exp-4", 1, 0, "", at(1)},
                                   {"exp-5", 1, 0, "", at(2)}, {"exp-6", 1, 0, "", at(3)}};
  const job::Cause cause = cause_among({"exp-7", 1, 0, "", at(4)}, others, {node("a", 2)});
  CHECK(cause.code == CauseCode::resources_held);
  CHECK(cause.position == 5);
  REQUIRE(cause.ahead.size() == 4);
  CHECK(cause.ahead[0].name == "exp-3");
  CHECK(cause.remedies.at(0).what == "wait");
  CHECK(cause.remedies.at(0).command.empty());
  CHECK(contains(cause.summary, "number 5 of the 5 jobs that wait for a node, after exp-3, exp-4"));
  CHECK(cause_among({"exp-7", 1, 0, "", at(4)}, {others[0], others[1]}, {node("a", 2)})
            .remedies.at(0)
            .command == "kml cancel exp-1");
}

TEST_CASE("start order: a job that can never start is not ahead of others") {
  constexpr const char* kNoClaim = "0/1 nodes are available: persistentvolumeclaim \"data\" not found.";
  const Pod runs = {"runs", 2, 0, "a"}, real = {"real", 2, 0, "", at(1)};
  for (const Pod& vain : {Pod{"never", 3, 0, "", at(0)}, Pod{"lacks", 1, 0, "", at(0), kNoClaim}}) {
    CAPTURE(vain.name);
    const job::Cause cause = cause_among({"own", 2, 0, "", at(2)}, {runs, vain, real}, {node("a", 2)});
    CHECK(cause.position == 2);
    REQUIRE(cause.ahead.size() == 1);
    CHECK(cause.ahead[0].name == "real");
    CHECK(contains(cause.summary, "number 2 of the 2 jobs that wait for a node, after real"));
  }
}

TEST_CASE("start order: if kube-scheduler decides, another job that fits, too, may start first") {
  const std::vector<Pod> running = {{"big", 2, 0, "a"}, {"small", 1, 0, "a"}};
  const auto remedy = [&](std::vector<Pod> others, std::vector<Json> nodes) {
    return cause_among({"own", 1, 0, "", at(1)}, others, std::move(nodes)).remedies.at(0);
  };
  const Pod large = {"large", 3, 0, "", at(2)}, later = {"later", 1, 0, "", at(2)};
  CHECK(!contains(remedy({running[0], running[1], large}, {node("a", 3)}).what, "may start first"));
  const job::Remedy shared = remedy({running[0], running[1], later}, {node("a", 3)});
  CHECK(shared.command == "kml cancel small");
  CHECK(contains(shared.what, "later would fit, too, and may start first"));
  Json embedded = node("a", 3);
  embedded["status"]["nodeInfo"]["kubeletVersion"] = "kml-1.0";
  CHECK(!contains(remedy({running[0], running[1], later}, {embedded}).what, "may start first"));
  // If the end of either of two jobs would make room, `why` suggests the one whose end leaves no room for
  // another job.
  const Pod two = {"two", 2, 0, "", at(2)};
  CHECK(remedy({{"x", 2, 0, "a"}, {"y", 1, 1, "a"}, two}, {node("a", 3)}).command == "kml cancel y");
}

TEST_CASE("start order: the suggested cancellations start this job, with as few jobs as possible") {
  struct Case {
    const char* what;
    Pod own;
    std::vector<Pod> others;
    std::vector<Json> nodes;
    const char* command;
  };
  const Json busy = node("b", 4);
  const std::vector<Case> cases = {
      {"the one that is large enough",
       {"own", 2, 0, "", at(1)},
       {{"a3", 1, 0, "a"}, {"a2", 2, 0, "a"}, {"a1", 1, 0, "a"}},
       {node("a", 4)},
       "kml cancel a2"},
      {"of the lowest priority",
       {"own", 1, 5, "", at(1)},
       {{"high", 1, 5, "a"}, {"low", 1, 2, "a"}},
       {node("a", 2)},
       "kml cancel low"},
      {"on the one node that suffices",
       {"own", 4, 0, "", at(1)},
       {{"x", 2, 0, "a"}, {"y", 1, 0, "b"}, {"z", 2, 0, "a"}},
       {node("a", 4), busy},
       "kml cancel y"},
      {"two where one is not enough",
       {"own", 4, 0, "", at(1)},
       {{"x", 2, 0, "a"}, {"y", 2, 0, "a"}},
       {node("a", 4)},
       "kml cancel x y"},
      {"it is smaller than the one before it",
       {"own", 1, 0, "", at(1)},
       {{"x", 1, 0, "a"}, {"y", 3, 0, "a"}, {"big", 4, 0, "", at(0)}},
       {node("a", 4)},
       "kml cancel x"},
      {"a job of lower priority came earlier",
       {"own", 1, 7, "", at(1)},
       {{"x", 1, 9, "a"}, {"early", 1, 0, "", at(0)}},
       {node("a", 1)},
       "kml cancel x"},
      {"one of higher priority came later",
       {"own", 1, 0, "", at(1)},
       {{"x", 1, 9, "a"}, {"late", 1, 8, "", at(5)}},
       {node("a", 1)},
       ""},
      {"one before it lacks a volume",
       {"own", 1, 0, "", at(1)},
       {{"x", 1, 0, "a"},
        {"lacks", 1, 0, "", at(0), "0/1 nodes are available: persistentvolumeclaim \"data\" not found."}},
       {node("a", 1)},
       "kml cancel x"},
      {"one before it may wait for another pod's end",
       {"own", 1, 0, "", at(1)},
       {{"x", 1, 0, "a"},
        {"apart", 1, 0, "", at(0),
         "0/1 nodes are available: 1 node(s) didn't match pod anti-affinity rules."}},
       {node("a", 1)},
       ""},
      {"a smaller one after it would take what the first of two frees",
       {"own", 2, 0, "", at(0)},
       {{"x", 1, 0, "a"}, {"y", 1, 0, "a"}, {"small", 1, 0, "", at(1)}},
       {node("a", 2)},
       ""},
  };
  for (const Case& one : cases) {
    CAPTURE(one.what);
    const job::Cause cause = cause_among(one.own, one.others, one.nodes);
    const std::string command = cause.remedies.empty() ? "" : cause.remedies[0].command;
    CHECK(command == one.command);
  }
}

TEST_CASE("start order: jobs that are already stopping are not suggested for cancelling") {
  Json leaving = made({"x", 1, 0, "a"});
  leaving["metadata"]["deletionTimestamp"] = "2026-01-01T01:59:50Z";
  Known known(make_job("own", 1), {made({"own", 1, 0, "", at(1)})});
  known.facts.nodes = std::vector<Json>{node("a", 1)};
  known.facts.active_pods = std::vector<Json>{leaving};
  CHECK(known.cause().outlook == job::Outlook::starting);
  CHECK(known.cause().remedies.empty());
  (*known.facts.active_pods)[0]["metadata"]["deletionTimestamp"] = "2026-01-01T01:00:00Z";  // an hour ago
  CHECK(known.cause().outlook == job::Outlook::waits);
  CHECK(known.cause().remedies.at(0).command.empty());
  // `kml cancel` gives pods a time limit of a second.
  Json cancelled = made({"x", 1, 0, "a"});
  cancelled["status"]["startTime"] = "2026-01-01T01:59:50Z";
  cancelled["spec"]["activeDeadlineSeconds"] = 1;
  (*known.facts.active_pods)[0] = cancelled;
  CHECK(known.cause().outlook == job::Outlook::starting);
  CHECK(known.cause().remedies.empty());
  (*known.facts.active_pods)[0]["spec"]["activeDeadlineSeconds"] = 3600;
  CHECK(known.cause().remedies.at(0).command == "kml cancel x");
}

TEST_CASE("start order: within a second, the order of the submits decides, otherwise the numbers in names") {
  const auto position = [](const std::string& of_nine, const std::string& of_ten) {
    std::vector<Json> jobs = {make_job("exp-9"), make_job("exp-10")};
    if (!of_nine.empty()) jobs[0]["metadata"]["annotations"]["kml.dev/submitted"] = of_nine;
    Known known(make_job("exp-10", 1), {made({"exp-10", 1})});
    if (!of_ten.empty()) known.job["metadata"]["annotations"]["kml.dev/submitted"] = of_ten;
    known.facts.nodes = std::vector<Json>{node("a", 1)};
    known.facts.active_pods = std::vector<Json>{made({"x", 1, 0, "a"}), made({"exp-9", 1})};
    known.facts.other_jobs = jobs;
    return known.cause().position;
  };
  CHECK(position("", "") == 2);
  CHECK(position("2026-01-01T00:00:00.2Z", "2026-01-01T00:00:00.1Z") == 1);
  CHECK(position("2026-01-01T00:00:00.1Z", "2026-01-01T00:00:00.2Z") == 2);
}

TEST_CASE(
    "start order: if a job has more pods than the nodes can hold, the cause counts only those that fit") {
  const auto why_array = [](const std::vector<Json>& running, int waiting) {
    Json array = make_job("array", 3);
    std::vector<Json> pods = running;
    for (int i = 0; i < waiting; ++i)
      pods.push_back(unschedulable(make_pod(array, std::to_string(i)), kFull));
    std::vector<Json> own;
    for (const Json& pod : pods)
      if (contains(pod["metadata"]["name"].get<std::string>(), "array")) own.push_back(pod);
    Known known(array, own);
    known.facts.nodes = std::vector<Json>{node("a", 8)};
    known.facts.active_pods = pods;
    return known.cause();
  };
  const Json own = on_node(make_pod(make_job("array", 3), "9"), "a");
  const Json all = made({"base", 8, 0, "a"}), most = made({"base", 5, 0, "a"}),
             half = made({"base", 4, 0, "a"});
  struct Row {
    std::vector<Json> running;
    int waiting;
    std::string brief, remedy;
  };
  for (const Row& row : {Row{{all}, 2, "needs 6 GPUs more", "kml cancel base"},
                         Row{{all}, 4, "needs 6 GPUs more", "kml cancel base"},
                         Row{{half}, 4, "needs 2 GPUs more", "kml cancel base"},
                         Row{{most, own}, 4, "needs 3 GPUs more", "kml cancel base"},
                         Row{{own, own}, 4, "its other pods come first", ""}}) {
    CAPTURE(row.brief);
    const job::Cause cause = why_array(row.running, row.waiting);
    CHECK(cause.brief == row.brief);
    CHECK((cause.remedies.empty() ? "" : cause.remedies[0].command) == row.remedy);
  }
}

TEST_CASE("start order: a remedy for a task does not start earlier tasks of the array instead") {
  Json array = make_job("array", 3);
  array["spec"]["completionMode"] = "Indexed";
  const auto task = [&](const std::string& index) {
    return unschedulable(make_pod(array, index + "-abcde"), kFull);
  };
  const auto remedy = [&](const std::string& index) {
    Known known(array, {task(index)});
    known.facts.is_task = true;
    known.facts.nodes = std::vector<Json>{node("a", 8)};
    known.facts.active_pods = std::vector<Json>{made({"base", 6, 0, "a"})};
    for (const char* each : {"0", "1", "2"}) known.facts.active_pods->push_back(task(each));
    return known.cause().remedies.at(0).command;
  };
  CHECK(remedy("0") == "kml cancel base");
  CHECK(remedy("2").empty());
}

TEST_CASE("start order: a gang of the embedded server starts as a whole") {
  const auto gang = [](Json its) {
    its["metadata"]["annotations"][std::string(api::kGangSize)] = "2";
    return its;
  };
  const Json bert = make_job("own", 1);
  Known known(bert, {gang(unschedulable(make_pod(bert, "0"), kFull)),
                     gang(unschedulable(make_pod(bert, "1"), kFull))});
  known.facts.nodes = std::vector<Json>{node("a", 2)};
  known.facts.active_pods =
      std::vector<Json>{made({"x", 1, 0, "a"}), made({"y", 1, 0, "a"}), known.pods[0], known.pods[1]};
  CHECK(known.cause().remedies.at(0).command == "kml cancel x y");
}

namespace {

/// A state of one node with jobs of one pod, small enough to try every set of running jobs.
struct Small {
  int total = 0;
  std::vector<Pod> running, waiting;  ///< the waiting pods are in the scheduler's order
  size_t own = 0;                     ///< index in `waiting`

  explicit Small(unsigned seed) {
    std::mt19937 random(seed);
    const auto draw = [&](int low, int high) {
      return std::uniform_int_distribution<int>(low, high)(random);
    };
    int left = total = draw(1, 8);
    while (left > 0) {
      const int gpus = draw(1, left);
      running.push_back({"r" + std::to_string(running.size()), gpus, draw(0, 2), "a"});
      left -= draw(0, 4) == 0 ? left : gpus;
    }
    const int free = total - held();
    for (int i = draw(1, 5); i > 0; --i) {
      const int gpus = draw(free + 1, std::max(free + 1, total));
      waiting.push_back(
          {"w" + std::to_string(waiting.size()), gpus, draw(0, 2), "", at(static_cast<int>(waiting.size()))});
    }
    std::stable_sort(waiting.begin(), waiting.end(),
                     [](const Pod& a, const Pod& b) { return a.priority > b.priority; });
    own = static_cast<size_t>(draw(0, static_cast<int>(waiting.size()) - 1));
  }

  int held() const {
    int sum = 0;
    for (const Pod& one : running) sum += one.gpus;
    return sum;
  }

  /// The waiting job that starts first once the running jobs of the set have ended; empty if none does.
  std::string first_after(const std::vector<std::string>& ended) const {
    int free = total - held();
    for (const Pod& one : running)
      if (std::find(ended.begin(), ended.end(), one.name) != ended.end()) free += one.gpus;
    for (size_t i = 0; i < waiting.size(); ++i) {
      // If the job itself could preempt now, it would already have done so, so something else prevents it.
      const bool may_preempt =
          i != own || waiting[i].gpus > total - held() + preempted({}, waiting[i].priority);
      const int by_force = may_preempt ? preempted(ended, waiting[i].priority) : 0;
      if (waiting[i].gpus <= free + by_force) return waiting[i].name;
    }
    return {};
  }

  /// What a waiting job of this priority could preempt, besides the jobs that have ended.
  int preempted(const std::vector<std::string>& ended, int priority) const {
    int gpus = 0;
    for (const Pod& one : running)
      if (one.priority < priority && std::find(ended.begin(), ended.end(), one.name) == ended.end())
        gpus += one.gpus;
    return gpus;
  }

  /// Whether the job starts first, in whatever order the jobs of the set end.
  bool starts_own(const std::vector<std::string>& ended) const {
    const std::string& name = waiting[own].name;
    for (unsigned part = 1; part < 1U << ended.size(); ++part) {
      std::vector<std::string> so_far;
      for (size_t i = 0; i < ended.size(); ++i)
        if (part >> i & 1U) so_far.push_back(ended[i]);
      const std::string first = first_after(so_far);
      if (first != name && (!first.empty() || so_far.size() == ended.size())) return false;
    }
    return true;
  }

  /// The size of the smallest set that starts the job first; 0 if there is none.
  size_t fewest() const {
    size_t best = 0;
    for (unsigned set = 1; set < 1U << running.size(); ++set) {
      std::vector<std::string> ended;
      for (size_t i = 0; i < running.size(); ++i)
        if (set >> i & 1U) ended.push_back(running[i].name);
      if (starts_own(ended) && (best == 0 || ended.size() < best)) best = ended.size();
    }
    return best;
  }
};

}  // namespace

TEST_CASE(
    "start order: in 1,000 small states, kml suggests cancelling jobs exactly when that helps, and as few "
    "jobs as possible") {
  size_t exist = 0;
  for (unsigned seed = 0; seed < 1000; ++seed) {
    CAPTURE(seed);
    const Small state(seed);
    std::vector<Pod> others = state.running;
    for (size_t i = 0; i < state.waiting.size(); ++i)
      if (i != state.own) others.push_back(state.waiting[i]);
    const job::Cause cause = cause_among(state.waiting[state.own], others, {node("a", state.total)});
    if (cause.code != CauseCode::resources_held) continue;  // the job requests more than the node has
    CHECK(cause.position == static_cast<int>(state.own) + 1);
    std::vector<std::string> ended;
    if (const std::string command = cause.remedies.at(0).command; !command.empty()) {
      ended = split(command.substr(std::string_view("kml cancel ").size()), ' ');
      CHECK(state.starts_own(ended));
    }
    CHECK(ended.size() == state.fewest());
    exist += state.fewest() > 0 ? 1 : 0;
  }
  CHECK(exist > 150);
}

}  // namespace start_order_test
