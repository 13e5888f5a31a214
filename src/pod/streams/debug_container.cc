#include "pod/streams/debug_container.h"

#include <optional>
#include <string_view>
#include <utility>

#include "kml/job/views/kinds.h"
#include "kml/kube/client/remote_process.h"
#include "kml/kube/objects/pod.h"
#include "kml/kube/objects/resource.h"
#include "pod/streams/container_start.h"

namespace kml::pod {

/// The open standard input of the container's program, cat. The program ends when the connection ends
/// (stdinOnce).
struct DebugContainer::Held {
  Held(kube::Client& client, const RunningRank& place)
      : input(
            client,
            {.namespace_name = place.namespace_name,
             .pod = place.pod,
             .container = place.container,
             .has_input = true},
            {.on_output = [](bool, std::string_view) {}, .on_end = [](std::optional<int>, const Error*) {}}) {
  }

  kube::RemoteProcess input;
};

DebugContainer::DebugContainer(kube::Client& client, const RunningRank& target, const std::string& image,
                               const job::Interrupt& interrupt)
    : place_(target) {
  const api::ResourceKind& kind = *api::find_kind("v1", "Pod");
  place_.container = job::drawn_name("kml-debug");
  const Json pod = client.get(kind, target.namespace_name, target.pod);
  client.patch(kind, target.namespace_name, target.pod, kube::PatchType::strategic,
               debug_container_patch(pod, target.container, place_.container, image), "ephemeralcontainers");
  wait_until_container_runs(client, place_, interrupt, "name an image with `sh` and `cat`: --image IMAGE");
  held_ = std::make_unique<Held>(client, place_);
}

DebugContainer::~DebugContainer() = default;

Json debug_container_patch(const Json& pod, const std::string& target, const std::string& name,
                           const std::string& image) {
  Json container = {
      {"name", name},  {"image", image},   {"command", {"sh", "-c", "cat"}}, {"targetContainerName", target},
      {"stdin", true}, {"stdinOnce", true}};
  const Json* of_target = api::find_container(pod, target);
  const Json* security = of_target ? find(*of_target, {"securityContext"}) : nullptr;
  if (security) container["securityContext"] = *security;
  return {{"spec", {{"ephemeralContainers", Json::array({std::move(container)})}}}};
}

}  // namespace kml::pod
