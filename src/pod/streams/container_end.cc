#include "pod/streams/container_end.h"

#include <chrono>

#include "kml/kube/objects/container.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "kml/kube/objects/resource.h"

namespace kml::pod {

namespace {

constexpr std::chrono::milliseconds kBetweenLooksAtEnd{250};

std::optional<int> ended_with(const Json& pod, const std::string& container) {
  const Json* status = api::find_container_status(pod, container);
  if (!status) return {};
  if (const Json* terminated = api::terminated_in(*status)) return api::exit_code_of(*terminated);
  // The container was restarted, so its last state is used.
  if (const Json* last = api::last_terminated_in(*status)) return api::exit_code_of(*last);
  return {};
}

}  // namespace

std::optional<int> exit_code_of_container(kube::Client& client, const RunningRank& rank,
                                          std::chrono::seconds patience) {
  const http::SteadyTime end = client.transport().now() + patience;
  while (client.transport().now() < end) {
    const std::optional<Json> pod =
        client.get_if_exists(*api::find_kind("v1", "Pod"), rank.namespace_name, rank.pod);
    if (!pod || api::uid_of(*pod) != rank.pod_uid) return {};
    if (const std::optional<int> code = ended_with(*pod, rank.container)) return code;
    bool is_due = false;
    const auto timer = client.transport().after(kBetweenLooksAtEnd, [&] { is_due = true; });
    while (!is_due) client.transport().wait(kBetweenLooksAtEnd);
  }
  return {};
}

}  // namespace kml::pod
