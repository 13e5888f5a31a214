#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kml/jobs/create.h"
#include "kml/jobs/sweep_runner.h"

namespace kml::jobs {

/// Makes trials' jobs, those that cannot be made yet later.
class TrialMaker {
 public:
  struct Handler {
    std::function<void(const std::string& name, const Json& job)> on_made;
    /// Told each time that it is tried.
    std::function<void(const std::string& name, const std::string& cause)> on_wait;
    std::function<void(const std::string& name, const std::string& cause)> on_refused;
  };

  /// `client` and `options` must outlive it.
  TrialMaker(kube::Client& client, const SweepRunnerOptions& options, Handler handler);

  /// Of one that an earlier engine made, that one is told. Throws what is no fault of a trial's.
  void make(const std::vector<Json>& objects);
  /// Tries again what could not be made, where it is time. Throws as make() does.
  void make_waiting();
  /// Whether it waited to be made; it never will be then.
  bool forget(const std::string& name);

 private:
  struct Waiting {
    Json object;
    bool for_quota = false;
  };

  bool settle(Waiting& trial, const Creation& answer);
  bool take_over(const std::string& name, const Json& object);

  kube::Client& client_;
  const SweepRunnerOptions& options_;
  const Handler handler_;
  std::vector<Waiting> waiting_;  ///< in the order in which they are to be made
  http::SteadyTime next_try_{};
  std::chrono::milliseconds pause_;
};

}  // namespace kml::jobs
