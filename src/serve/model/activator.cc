#include "kml/serve/model/activator.h"

#include <utility>

#include "kml/base/error.h"
#include "kml/kube/objects/idle.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "kml/kube/objects/unready.h"
#include "kml/serve/model/manifests.h"
#include "kml/serve/model/rollout.h"

namespace kml::serve {

namespace {

kube::WatchOptions only(const std::string& name) {
  return {.field_selector = "metadata.name=" + name};
}

std::string version_of(const Json& object) {
  return string_at(object, {"metadata", "resourceVersion"});
}

}  // namespace

std::string activator_selector(const std::string& name) {
  return std::string(api::kActivator) + "=" + name;
}

std::string activator_name(const std::string& name) {
  return name + "-activator";
}

bool leads_to_activator(const Json& service) {
  return object_at(service, {"spec", "selector"}).contains(std::string(api::kActivator));
}

std::optional<pod::RunningRank> activator_rank(kube::Client& client, const std::string& namespace_name,
                                               const std::string& name) {
  const auto service = client.get_if_exists(*api::find_kind("v1", "Service"), namespace_name, name);
  if (!service || !leads_to_activator(*service)) return {};
  std::vector<pod::RunningRank> ranks =
      running_pods(client, namespace_name, activator_name(name), activator_selector(name));
  return ranks.empty() ? std::nullopt : std::optional(std::move(ranks[0]));
}

ServedScale::ServedScale(kube::Client& client, std::string namespace_name, const std::string& name)
    : client_(client),
      namespace_(std::move(namespace_name)),
      name_(name),
      watched_(client, namespace_, true),
      deployments_(watched_.add(*api::find_kind("apps/v1", "Deployment"), only(name))),
      services_(watched_.add(*api::find_kind("v1", "Service"), only(name))),
      pods_(watched_.add(*api::find_kind("v1", "Pod"), {.label_selector = serve_selector(name)})) {}

bool ServedScale::take_change() {
  return watched_.are_complete() && watched_.take_change();
}

const Json* ServedScale::deployment() const {
  return deployments_.empty() ? nullptr : &deployments_.begin()->second;
}

bool ServedScale::gets_requests() const {
  return !services_.empty() && leads_to_activator(services_.begin()->second);
}

ServedScale::State ServedScale::state() const {
  constexpr auto kNoLimit = std::chrono::hours(24);
  State state{{}, kNoLimit, "it is no longer served", false};
  if (!deployment()) return state;
  state.idle = api::idle_limit_of(*deployment()).value_or(kNoLimit);
  state.problem = api::is_scaled_to_zero(*deployment())                 ? "it has not been scaled back yet"
                  : int_at(*deployment(), {"spec", "replicas"}, 1) == 0 ? "its Deployment has 0 replicas"
                                                                        : "it has no pod yet";
  for (const auto& [uid, pod] : pods_) {
    if (api::is_being_deleted(pod) || api::pod_has_ended(pod)) continue;
    const int port = api::container_port(api::spec_of(pod), "http");
    std::string address = string_at(pod, {"status", "podIP"});
    if (api::condition_is_true(pod, "Ready") && port > 0 && !address.empty()) {
      state.ready.push_back({std::move(address), port});
    } else if (!state.is_hopeless) {
      api::Unready unready = api::why_unready(pod);
      state.problem = std::move(unready.problem);
      state.is_hopeless = unready.is_hopeless;
    }
  }
  return state;
}

void ServedScale::rest() {
  const Json* now = deployment();
  if (!now || !gets_requests() || !api::idle_limit_of(*now)) return;
  if (int_at(*now, {"spec", "replicas"}, 1) == 0 || !is_rolled_out(*now)) return;
  Json next = *now;
  api::scale_to_zero(next);
  replace(next);
}

void ServedScale::wake() {
  const Json* now = deployment();
  if (!now || !api::is_scaled_to_zero(*now)) return;
  Json next = *now;
  api::scale_back(next);
  replace(next);
}

/// Sends the change once per version, because the watch will then show the next version.
void ServedScale::replace(const Json& next) {
  const std::string version = version_of(next);
  if (version == replaced_) return;
  try {
    client_.replace(*api::find_kind("apps/v1", "Deployment"), namespace_, next);
  } catch (const Error& error) {
    if (error.reason != "Conflict" && error.reason != "NotFound") throw;
  }
  replaced_ = version;
}

}  // namespace kml::serve
