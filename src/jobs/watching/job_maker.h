#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "kml/core/error.h"
#include "kml/jobs/submit/create.h"
#include "kml/jobs/watching/job_runner.h"

namespace kml::jobs {

/// What the refusal of a request says: to make a job, or another one of an engine's.
enum class Refusal {
  for_good,  ///< it would be refused again: its manifest is invalid, or a webhook or a policy denies it
  by_quota,  ///< it can be created once others are gone
  passing,   ///< nothing of the job: the server is away, or not well
  of_user,   ///< nothing of the job: this user is not let in
};

Refusal refusal_of(const Error& error);

/// Doubled up to the longest, between requests that are in vain.
inline constexpr std::chrono::milliseconds kFirstPause{1'000}, kLongestPause{30'000};

/// Makes jobs of one kind, those that cannot be made yet later. Of a request whose answer is lost nothing is
/// known: the next one finds what it has made.
class JobMaker {
 public:
  struct Handler {
    std::function<void(const std::string& name, const Json& job)> on_made;
    /// Told each time that it is tried, or that others are tried in its place.
    std::function<void(const std::string& name, const std::string& cause)> on_wait;
    std::function<void(const std::string& name, const std::string& cause)> on_refused;
    /// It is not there, and was forgotten.
    std::function<void(const std::string& name)> on_unmade;
  };

  /// `client` and `options` must outlive it.
  JobMaker(kube::Client& client, const WatchOptions& options, Handler handler);

  /// Of one that an earlier engine made, that one is told. Behind those that wait. Throws what is not a fault
  /// of a job's, and does not pass.
  void make(const std::vector<Json>& objects);
  /// Tries again to create the waiting ones when it is time. Throws as make() does.
  void make_waiting();
  /// Where it waits: it is made no more, only looked up, and what is there told as made.
  void forget(const std::string& name);
  /// Where it waits: it was seen that it is made.
  void take(const Json& job);

 private:
  enum class Hold { none, quota, server, name };
  struct Waiting {
    Json object;
    Hold hold = Hold::none;  ///< why the last request for it was in vain
    bool is_forgotten = false;
  };
  using Jobs = std::vector<Waiting>;

  void send(Jobs jobs);
  size_t batch_end(const Jobs& jobs, size_t begin) const;
  std::vector<Creation> answers(const Jobs& jobs, size_t begin, size_t end);
  bool settle(Waiting& job, const Creation& answer);
  bool take_over(Waiting& job);
  bool look_up(Waiting& job);
  bool take_refusal(Waiting& job, const Error& error);
  bool wait(Waiting& job, Hold hold, const std::string& cause);

  kube::Client& client_;
  const WatchOptions& options_;
  const Handler handler_;
  Jobs waiting_;       ///< in the order in which they are to be made
  std::string cause_;  ///< why the last one of them waits
  http::SteadyTime next_try_{};
  std::chrono::milliseconds pause_;
  size_t at_once_;
  bool is_told_ = false;  ///< in this round, of a server that is not well
};

}  // namespace kml::jobs
