#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "job/submit/gangs.h"
#include "kml/base/error.h"
#include "kml/engine/watching/job_runner.h"
#include "kml/job/submit/create.h"

namespace kml::engine {

/// Why the server rejected an engine's request, such as creating a job.
enum class Refusal {
  for_good,  ///< a retry would fail, too: the manifest is invalid, or a webhook or policy denies it
  by_quota,  ///< the request will succeed once other jobs have ended
  passing,   ///< not the job's fault: the server is unreachable or failing
  of_user,   ///< not the job's fault: the user has no access
};

Refusal refusal_of(const Error& error);

/// The pause between failed requests doubles up to the longest.
inline constexpr std::chrono::milliseconds kFirstPause{1'000}, kLongestPause{30'000};

/// Creates jobs of one kind, and retries later those that cannot be created yet. If a response is lost, the
/// next request finds out whether the job was created.
class JobMaker {
 public:
  struct Handler {
    std::function<void(const std::string& name, const Json& job)> on_made;
    /// Called each time kml has failed to create this job, or a job ahead of it in the queue.
    std::function<void(const std::string& name, const std::string& cause)> on_wait;
    std::function<void(const std::string& name, const std::string& cause)> on_refused;
    /// Called for a job that was passed to forget(), once it is certain that the job does not exist.
    std::function<void(const std::string& name)> on_unmade;
  };

  /// `client` and `options` must outlive this object.
  JobMaker(kube::Client& client, const WatchOptions& options, Handler handler);

  /// Queues the jobs behind the waiting ones, and creates all that can be created now. A job that an earlier
  /// engine created is reported as created. Throws the Error if a lasting failure is not a single job's
  /// fault.
  void make(const std::vector<Json>& objects);
  /// Retries the waiting jobs if a retry is due. Throws as make() does.
  void make_waiting();
  /// If the job is waiting, stops trying to create it. Only checks whether it exists, and if so, reports it
  /// as created.
  void forget(const std::string& name);
  /// If the job is waiting, treats it as created. Call this when a watch has seen the job.
  void take(const Json& job);

 private:
  enum class Hold { none, quota, server, name };
  struct Waiting {
    Json object;
    Hold hold = Hold::none;  ///< why the last request for the job failed
    bool is_forgotten = false;
  };
  using Jobs = std::vector<Waiting>;

  void send(Jobs jobs);
  size_t batch_end(const Jobs& jobs, size_t begin) const;
  std::vector<job::Creation> answers(Jobs& jobs, size_t begin, size_t end);
  bool make_group(Json& job, job::Creation& answer);
  void note_group(const Json& job);
  void hand_over_groups();
  bool settle(Waiting& job, const job::Creation& answer);
  bool take_over(Waiting& job);
  bool look_up(Waiting& job);
  bool take_refusal(Waiting& job, const Error& error);
  bool wait(Waiting& job, Hold hold, const std::string& cause);

  kube::Client& client_;
  const WatchOptions& options_;
  const Handler handler_;
  job::Gangs gangs_;
  std::vector<Json> without_groups_;  ///< created jobs that do not own their PodGroups yet
  Jobs waiting_;                      ///< the waiting jobs, in the order of creation
  std::string cause_;                 ///< why the last of these jobs waits
  http::SteadyTime next_try_{};
  std::chrono::milliseconds pause_;
  size_t at_once_;
  bool is_told_ = false;  ///< whether this round has already reported a failing server
};

}  // namespace kml::engine
