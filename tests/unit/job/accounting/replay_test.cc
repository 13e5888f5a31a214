#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <random>
#include <set>

#include "job/attempts/merge.h"
#include "kml/job/accounting/gpu_usage.h"
#include "kml/kube/objects/labels.h"
#include "support/owner.h"

namespace replay_test {

using namespace kml;
using namespace kml::job;

namespace {

using std::chrono::seconds;

const Time kBegin = *parse_rfc3339("2026-03-01T00:00:00Z");
constexpr long long kHorizon = 200'000, kSince = 40'000;  // seconds after kBegin

enum class How { success, preempted, suspended, failed, cancelled, runs };

/// A pod in the log of events. Its program does a step each second. Times are in seconds after kBegin.
struct PodLog {
  std::string name;
  int index = 0, number = 1;
  long long start = 0, end = 0, first_step = 0, last_step = 0;
  How how = How::runs;
  bool reports_steps = false;
};

enum class Shape { single, gang, array };

struct JobLog {
  std::string name, user;
  Shape shape = Shape::single;
  int gpus = 1, pods = 1;
  long long created = 0, end = 0, skew = 0;
  State state = State::waiting;
  std::vector<PodLog> log = {};
};

/// Draws jobs that wait, run, are preempted, suspended and cancelled, fail, and are retried.
class Simulation {
 public:
  explicit Simulation(unsigned seed) : random_(seed) {}

  JobLog job(int number) {
    JobLog job{"job" + std::to_string(number), number % 2 == 0 ? "ana" : "ben"};
    job.shape = static_cast<Shape>(draw(0, 2));
    job.gpus = draw(1, 8);
    job.pods = job.shape == Shape::single ? 1 : draw(2, 4);
    job.created = draw(0, 3) == 0 ? draw(180'000, 199'000) : draw(0, 180'000);
    job.skew = draw(-3, 3);
    std::set<State> ends;
    for (int lane = 0; lane < (job.shape == Shape::array ? job.pods : 1); ++lane) ends.insert(run(job, lane));
    job.state = ends.contains(State::running)     ? State::running
                : ends.contains(State::cancelled) ? State::cancelled
                : ends.contains(State::failed)    ? State::failed
                                                  : State::succeeded;
    for (const PodLog& pod : job.log) job.end = std::max(job.end, pod.end);
    return job;
  }

 private:
  int draw(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }

  State run(JobLog& job, int lane) {
    long long now = job.created + draw(1, 5000), step = 0;
    for (int number = 1;; ++number) {
      const long long time = draw(300, 6000);
      const int chance = draw(0, 99);
      How how = chance < 45   ? How::success
                : chance < 75 ? How::preempted
                : chance < 85 ? How::suspended
                : chance < 95 ? How::failed
                              : How::cancelled;
      // `kml cancel` ends the whole job. The tasks of an array would have to be cancelled together.
      if (how == How::cancelled && job.shape == Shape::array) how = How::failed;
      if (now >= kHorizon) return State::running;
      if (now + time > kHorizon) how = How::runs;
      const long long end = how == How::runs ? kHorizon : now + time;
      const int ranks = job.shape == Shape::gang ? job.pods : 1;
      for (int rank = 0; rank < ranks; ++rank) {
        const int index = job.shape == Shape::gang ? rank : lane;
        job.log.push_back({job.name + (job.pods > 1 ? "-" + std::to_string(index) : "") + "-" + suffix(),
                           index, number, now, end, step, step + end - now - 1, how,
                           job.shape != Shape::array && rank == 0});
      }
      if (how == How::runs) return State::running;
      if (how == How::success) return State::succeeded;
      if (how == How::cancelled) return State::cancelled;
      if (how == How::failed && number >= 3) return State::failed;
      // the step of its last checkpoint
      if (how == How::preempted) step = std::max(step, (step + time) / 500 * 500);
      now = end + draw(1, 4000);
    }
  }

  std::string suffix() {
    std::string text;
    for (int i = 0; i < 5; ++i) text += "bcdfghjklmnpqrstvwxz2456789"[draw(0, 26)];
    return text;
  }

  std::mt19937 random_;
};

using Sums = std::map<std::string, std::array<double, kUses>>;  ///< the GPU hours of each user

/// Replays the log second by second.
Sums replayed(const std::vector<JobLog>& jobs) {
  Sums sums;
  for (const JobLog& job : jobs)
    for (const PodLog& pod : job.log) {
      const PodLog* next = nullptr;
      for (const PodLog& other : job.log)
        if (other.index == pod.index && other.number == pod.number + 1) next = &other;
      for (long long at = std::max(pod.start, kSince); at < pod.end; ++at) {
        Use use = Use::open;
        if (pod.how == How::success) use = Use::well;
        if (pod.how == How::failed) use = Use::failed;
        if (pod.how == How::suspended || pod.how == How::cancelled) use = Use::stopped;
        if (pod.how == How::preempted) {
          const bool is_told = next && job.shape != Shape::array;
          const bool is_redone = is_told && pod.first_step + (at - pod.start) >= next->first_step;
          use = !is_told                        ? Use::unclear
                : is_redone                     ? Use::lost
                : job.state == State::succeeded ? Use::well
                : job.state == State::failed    ? Use::failed
                : job.state == State::cancelled ? Use::stopped
                                                : Use::open;
        }
        sums[job.user][static_cast<size_t>(use)] += job.gpus / 3600.0;
      }
    }
  return sums;
}

std::string at(const JobLog& job, long long second) {
  return rfc3339(kBegin + seconds(second + job.skew));
}

Json job_object(const JobLog& job) {
  Json object = Json::parse(R"({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"namespace": "lab"},
    "spec": {"template": {"spec": {"containers": [{"name": "main", "resources": {"limits": {}}}]}}}})");
  object["metadata"].update({{"name", job.name}, {"uid", job.name}});
  object["metadata"]["creationTimestamp"] = rfc3339(kBegin + seconds(job.created));
  object["metadata"]["labels"] = {{api::kUser, job.user}, {api::kSubmitId, "id-" + job.name}};
  object["spec"].update({{"parallelism", job.pods}, {"completions", job.pods}});
  if (job.shape != Shape::single) object["spec"]["completionMode"] = "Indexed";
  if (job.shape == Shape::gang) object["metadata"]["annotations"][std::string(api::kGang)] = "true";
  object["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"]["nvidia.com/gpu"] = job.gpus;
  if (job.state == State::cancelled)
    object["metadata"]["annotations"][std::string(api::kCancelled)] = at(job, job.end);
  if (job.state != State::running)
    object["status"]["conditions"] =
        Json::array({{{"type", job.state == State::succeeded ? "Complete" : "Failed"},
                      {"status", "True"},
                      {"lastTransitionTime", at(job, job.end)}}});
  return object;
}

Json pod_object(const JobLog& job, const PodLog& pod) {
  return {{"metadata",
           {{"name", pod.name},
            {"namespace", "lab"},
            {"uid", pod.name},
            {"creationTimestamp", at(job, pod.start)},
            {"ownerReferences", controlled_by(job.name, job.name)}}},
          {"spec", job_object(job)["spec"]["template"]["spec"]},
          {"status", {{"phase", "Running"}, {"startTime", at(job, pod.start)}}}};
}

/// The event that the embedded server writes when a pod has ended.
Json attempt_event(const JobLog& job, const PodLog& pod) {
  const std::map<How, std::pair<const char*, int>> ends = {{How::success, {"Completed", 0}},
                                                           {How::preempted, {"Preempted", 143}},
                                                           {How::suspended, {"Suspended", 143}},
                                                           {How::failed, {"Error", 1}},
                                                           {How::cancelled, {"DeadlineExceeded", 143}}};
  const auto& [reason, code] = ends.at(pod.how);
  const Json attempt = {{"pod", pod.name},         {"uid", pod.name},  {"start", at(job, pod.start)},
                        {"end", at(job, pod.end)}, {"reason", reason}, {"exitCode", code}};
  Json event = {{"reason", "AttemptEnded"}, {"involvedObject", {{"uid", job.name}}}};
  event["metadata"]["annotations"][std::string(api::kAttempt)] = attempt.dump();
  return event;
}

std::string attempt_line(const JobLog& job, const PodLog& pod) {
  Json line = {{"attempt", pod.number},
               {"pod", pod.name},
               {"start", at(job, pod.start)},
               {"first_step", pod.first_step},
               {"last_step", pod.last_step}};
  if (pod.how != How::runs) line["end"] = at(job, pod.end);
  return "kml-attempt: " + line.dump() + "\n";
}

/// The account from the objects and lines that the job's log leaves behind.
JobAccount accounted(const JobLog& job) {
  const Json object = job_object(job);
  std::vector<Json> pods, events;
  std::string lines;
  for (const PodLog& pod : job.log) {
    pod.how == How::runs ? pods.push_back(pod_object(job, pod)) : events.push_back(attempt_event(job, pod));
    if (pod.reports_steps) lines += attempt_line(job, pod);
  }
  std::vector<const Json*> pod_list, event_list;
  for (const Json& pod : pods) pod_list.push_back(&pod);
  for (const Json& event : events) event_list.push_back(&event);
  const std::vector<Attempt> attempts =
      attempts_in(object, pod_list, event_list, told_attempts(lines, object), {});
  return account_of(object, pod_list, attempts, true, kBegin + seconds(kHorizon));
}

}  // namespace

TEST_CASE("accounting: the sums over random jobs agree within 1 % with a replay of their events") {
  for (const unsigned seed : {1U, 2U, 3U}) {
    Simulation simulation(seed);
    std::vector<JobLog> jobs;
    std::vector<JobAccount> accounts;
    for (int i = 0; i < 150; ++i) {
      jobs.push_back(simulation.job(i));
      JobAccount account = accounted(jobs.back());
      // About half of the ended jobs are gone: only the record of their account is left.
      const bool is_gone = i % 4 < 2 && account.finished;
      accounts.push_back(is_gone ? account_from_json(Json::parse(to_json(account).dump())) : account);
    }
    const Sums wanted = replayed(jobs);
    const auto found = usage_of(accounts, {{"user"}, kBegin + seconds(kSince), kBegin + seconds(kHorizon)});
    REQUIRE(found.size() == 2);
    for (const UsageSum& sum : found)
      for (size_t use = 0; use < kUses; ++use) {
        const double right = wanted.at(sum.values[0])[use];
        CAPTURE(seed);
        CAPTURE(sum.values[0]);
        CAPTURE(name_of(static_cast<Use>(use)));
        CAPTURE(right);
        CAPTURE(sum.hours[use]);
        CHECK(right > 0);
        CHECK(std::abs(sum.hours[use] - right) <= 0.01 * right);
      }
  }
}

}  // namespace replay_test
