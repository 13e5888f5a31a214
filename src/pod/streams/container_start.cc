#include "pod/streams/container_start.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>

#include "kml/base/error.h"
#include "kml/job/why/why.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/pod.h"
#include "kml/kube/objects/resource.h"

namespace kml::pod {

namespace {

constexpr std::chrono::minutes kLongestStart{5};
constexpr std::chrono::milliseconds kBetweenLooksAtStart{250};

/// Whether kml stops waiting for a container with this reason, although the kubelet may try again
/// (k8s.io/kubernetes/pkg/kubelet/images, pkg/kubelet/kuberuntime).
bool is_final(std::string_view waiting_reason) {
  constexpr std::array<std::string_view, 7> kFinal = {
      "ErrImagePull",         "ImagePullBackOff",  "InvalidImageName", "CreateContainerConfigError",
      "CreateContainerError", "RunContainerError", "CrashLoopBackOff"};
  return std::find(kFinal.begin(), kFinal.end(), waiting_reason) != kFinal.end();
}

/// Why the container is not running: its own reason, or what delays its pod.
std::string cause_of(const Json& pod, const Json* status) {
  for (const char* state : {"waiting", "terminated"}) {
    const Json* found = status ? find(*status, {"state", state}) : nullptr;
    const std::string reason = found ? string_at(*found, {"reason"}) : "";
    const std::string message = found ? string_at(*found, {"message"}) : "";
    if (!reason.empty()) return message.empty() ? reason : reason + ": " + message;
  }
  return job::view_of_pod(pod).cause;
}

}  // namespace

void wait_until_container_runs(kube::Client& client, const RunningRank& container,
                               const job::Interrupt& interrupt, const std::string& fix) {
  const http::SteadyTime end = client.transport().now() + kLongestStart;
  while (true) {
    const Json pod = client.get(*api::find_kind("v1", "Pod"), container.namespace_name, container.pod);
    const Json* status = api::find_container_status(pod, container.container);
    if (status && api::is_running(*status)) return;
    const bool has_ended =
        api::pod_has_ended(pod) ||
        (status && (api::terminated_in(*status) || is_final(api::waiting_reason(*status))));
    const bool is_late = client.transport().now() > end;
    if (has_ended || is_late)
      throw Error(is_late ? ErrorCode::unreachable : ErrorCode::failure,
                  "container " + container.container + " of pod " + container.pod + " does not start",
                  cause_of(pod, status), fix);
    interrupt.pause(kBetweenLooksAtStart);
  }
}

}  // namespace kml::pod
