#pragma once

#include <functional>
#include <optional>
#include <string>

#include "kml/core/json.h"
#include "kml/jobs/streams/running_rank.h"
#include "kml/jobs/views/interrupt.h"
#include "kml/kube/client.h"

namespace kml::jobs {

/// A pod that only sleeps, with a volume claim mounted, so that files can be copied from and to it.
struct HelperPlan {
  Json pod;
  std::string claim;  ///< its name
  std::string path;   ///< of the file or folder, as the pod sees it
};

/// A pod for `path`, relative to the claim's volume; the pod's working directory is the volume.
HelperPlan helper_for_claim(const std::string& claim, const std::string& path, const std::string& image,
                            bool is_read_only);
/// A pod for a path that the job's containers see on a claim, with the job's image. Empty if the path is not
/// on one: then only a running pod has it.
std::optional<HelperPlan> helper_for_job(const Json& job, const std::string& path,
                                         const std::string& container, bool is_read_only);

/// The pod of a plan. It is removed with the object; if this process is killed, the pod ends by itself after
/// a day.
class HelperPod {
 public:
  using Note = std::function<void(const std::string&)>;
  /// Says so, and creates it. Throws Error if the claim does not exist, or if the server refuses. `client`
  /// must outlive it.
  HelperPod(kube::Client& client, const std::string& namespace_name, const HelperPlan& plan, Note note);
  ~HelperPod();
  HelperPod(const HelperPod&) = delete;
  HelperPod& operator=(const HelperPod&) = delete;

  /// Its container, once it runs. Throws Error if it cannot start, if it has not started after five minutes
  /// (unreachable), or at a signal (interrupted).
  RunningRank wait(const Interrupt& interrupt);

 private:
  kube::Client& client_;
  const Note note_;
  Json pod_;  ///< as created
};

}  // namespace kml::jobs
