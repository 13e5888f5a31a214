#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "kml/job/logs/logs.h"
#include "kml/kube/client/client.h"
#include "pod/hang/looks.h"

namespace kml::pod {

/// Reads the end of the log of each of a job's pods.
class LogTier : public job::LogSink {
 public:
  /// `pods` are the job's pods. Throws Error if no log can be read.
  LogTier(kube::Client& client, const Json& job, const std::vector<Json>& pods) { read(client, job, pods); }

  /// The lines that were read from a pod, by the pod's uid.
  LogLook look_of(const std::string& pod_uid) const;
  /// Compares these lines with `later`, which was read some seconds after them.
  LogLook look_of(const std::string& pod_uid, const LogTier& later) const;

  void lines(std::span<const job::LogLine> lines) override;
  void event(const job::LogEvent&) override {}

 private:
  struct One {
    LogLook look = {};
    std::optional<Time> step_at = {};  ///< the time of the last line with a step
    std::vector<Time> times = {};      ///< the times of all lines except those that report waiting
  };
  void read(kube::Client& client, const Json& job, const std::vector<Json>& pods);

  std::map<std::string, One> by_pod_;
};

}  // namespace kml::pod
