#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "jobs/pod_sources.h"
#include "kml/jobs/tail.h"
#include "kml/kube/log_stream.h"
#include "kml/kube/watch.h"

namespace kml::jobs {

/// Follows one job: a watch for the job, one for its pods, a stream for each container that has started.
class JobFollower {
 public:
  JobFollower(kube::Client& client, const Json& job, const TailOptions& options, const TailHandler& handler);

  /// Does what is due (asks again for logs that broke off); true when the job has ended and every line is
  /// out.
  bool advance();
  JobView view() const;
  const Json& job() const { return job_; }

 private:
  using SteadyTime = std::chrono::steady_clock::time_point;

  struct Source {
    PodSource place;
    std::unique_ptr<kube::LogStream> stream;
    bool open = true;
    bool asked_after_end = false;  ///< the running request was sent when the container had ended
    bool done = false;
    SteadyTime closed_at;
  };

  void on_job(kube::Change change, const Json& job);
  void on_pod(kube::Change change, const Json& pod);
  void open(const std::string& key, const PodSource& place);
  void closed(Source& source, const Error* failure);
  void narrate();
  void note_failed_pod(const Json& pod);
  void read_pods_once_more();

  kube::Client& client_;
  const TailOptions options_;
  const TailHandler& handler_;
  Json job_;
  const std::string name_, namespace_;
  std::map<std::string, Json> pods_;                        ///< by name
  std::map<std::string, Source> sources_;                   ///< by pod's uid and container
  std::vector<std::pair<std::string, PodSource>> to_open_;  ///< a watch's callback must not send requests
  std::map<std::string, bool> noted_pods_;                  ///< failed ones, by uid
  std::string last_note_;
  bool deleted_ = false;
  bool pods_complete_ = false;  ///< the pods were listed after the job's end
  std::optional<Error> failure_;
  std::unique_ptr<kube::Watch> job_watch_, pod_watch_;
};

}  // namespace kml::jobs
