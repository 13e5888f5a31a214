#pragma once

#include <functional>
#include <optional>
#include <string>

#include "kml/base/json.h"
#include "kml/job/views/interrupt.h"
#include "kml/kube/client/client.h"
#include "kml/pod/streams/running_rank.h"

namespace kml::pod {

/// A pod that only sleeps, with a volume claim mounted, so that files can be copied from and to it.
struct HelperPlan {
  Json pod;
  std::string claim;  ///< the object's name
  std::string path;   ///< the path of the file or folder in the pod
};

/// The plan of a pod for `path`, which is relative to the claim's volume; the volume is also the pod's
/// working directory.
HelperPlan helper_for_claim(const std::string& claim, const std::string& path, const std::string& image,
                            bool is_read_only);
/// The plan of a pod with the job's image, for a path on a claim that the job's containers mount. Empty if
/// the path is not on a claim, or if the claim is mounted with a subPathExpr, because then only a running pod
/// has the file.
std::optional<HelperPlan> helper_for_job(const Json& job, const std::string& path,
                                         const std::string& container, bool is_read_only);

/// The pod of a plan. The destructor removes the pod; if this process is killed, the pod ends by itself after
/// a day.
class HelperPod {
 public:
  using Note = std::function<void(const std::string&)>;
  /// Prints a note and creates the pod. Throws Error if the claim does not exist, or if the server rejects
  /// the pod. `client` must outlive the object.
  HelperPod(kube::Client& client, const std::string& namespace_name, const HelperPlan& plan, Note note);
  ~HelperPod();
  HelperPod(const HelperPod&) = delete;
  HelperPod& operator=(const HelperPod&) = delete;

  /// Waits until the pod runs, and returns its container. Throws Error if the pod cannot start, if it has not
  /// started after five minutes (unreachable), or on a signal (interrupted).
  RunningRank wait(const job::Interrupt& interrupt);

 private:
  kube::Client& client_;
  const Note note_;
  Json pod_;  ///< as created
};

}  // namespace kml::pod
