#include "job/why/causes.h"

#include <fmt/format.h>

#include <array>

#include "kml/base/redrawn_line.h"
#include "kml/base/text.h"
#include "kml/job/why/cause.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/crash_loop.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::job {

namespace {

bool has_any(std::string_view text, std::initializer_list<std::string_view> parts) {
  for (std::string_view part : parts)
    if (contains(text, part)) return true;
  return false;
}

constexpr const char* kMakePullSecret =
    R"sh(printf '{"apiVersion":"v1","kind":"Secret","type":"kubernetes.io/dockerconfigjson",)sh"
    R"sh("metadata":{"name":"NAME"},"data":{".dockerconfigjson":"%s"}}' )sh"
    R"sh("$(base64 -w0 ~/.docker/config.json)" | kml submit -f -)sh";

/// containerd asks for a token first, so such an error may begin with "failed to authorize".
bool is_network_error(const std::string& message) {
  return has_any(message, {"dial tcp", "no such host", "i/o timeout", "connection refused",
                           "connection reset", "handshake", "x509:", "deadline exceeded", "500 Internal",
                           "502 Bad", "503 Service", "504 Gateway"});
}

/// Registries respond with "denied" both if an image is missing and if the client may not read it.
Cause image_cause(const Json& pod, const std::string& image, const std::string& message) {
  const auto cause = [&](CauseCode code, const char* brief, const std::string& why,
                         std::vector<Remedy> remedies) {
    Cause made = make_cause(code, brief, fmt::format("image {} {}", image, why));
    made.remedies = std::move(remedies);
    return made;
  };
  if (has_any(message, {"no match for platform", "no matching manifest for"})) {
    const std::string node = api::node_of(pod);
    return cause(CauseCode::image_platform, "image is for another processor",
                 "has no variant for the processor of node " + (node.empty() ? "?" : node),
                 {{"submit it again with an image for the node's processor, or with another kind of node: "
                   "--node-selector kubernetes.io/arch=…",
                   "kml submit --image IMAGE …"}});
  }
  if (has_any(message, {"toomanyrequests", "429 Too Many Requests"}))
    return cause(
        CauseCode::image_rate_limited, "the registry limits pulls",
        "has not been pulled yet, because its registry has received too many requests from this node or "
        "account; the node will try again",
        {{"wait, or name a Secret with credentials, because registries allow more pulls with an account",
          "kml submit --pull-secret NAME …"}});
  if (contains(message, "no space left on device"))
    return cause(
        CauseCode::disk_full, "its node's disk is full",
        fmt::format("does not fit on the disk of node {}; the node will try again", api::node_of(pod)),
        {{"ask the cluster's administrator to make room, or choose another node with --node-selector", ""}});
  const bool is_answer = !is_network_error(message);
  if (is_answer && has_any(message, {"authoriz", "Unauthorized", "unauthorized", "403 Forbidden",
                                     "access denied", "denied:", "no basic auth"}))
    return cause(
        CauseCode::image_forbidden, "no access to its image",
        "does not exist, or the registry requires credentials for it",
        {{"name a Secret with the registry's credentials (`kml list secrets` shows them by type), or "
          "another image",
          "kml submit --pull-secret NAME …"},
         {"or create one from the credentials that `docker login` has saved", kMakePullSecret}});
  if (is_answer && has_any(message, {"not found", "manifest unknown", "does not exist", "no such image"}))
    return cause(CauseCode::image_missing, "image not found", "does not exist in its registry",
                 {{"submit it again with an image that exists", "kml submit --image IMAGE …"}});
  return cause(CauseCode::image_unreachable, "cannot pull its image",
               "cannot be pulled now; the node will try again",
               {{"check the registry's name, and that the node can reach it", ""}});
}

/// Newer kubelets repeat the error in the message about back-off. Older kubelets only report it in an event.
Cause pull_cause(const Facts& facts, const Json& pod, const std::string& image, std::string message) {
  if (!contains(message, "rror") && !contains(message, "ailed"))
    if (const Json* event = newest_event(facts, pod, std::array<std::string_view, 1>{"Failed"}))
      message = api::message_of(*event);
  Cause cause = image_cause(pod, image, message);
  cause.message = message;
  return cause;
}

std::string image_of(const Json& pod, const Json& status) {
  for (std::string_view list : {"initContainers", "containers"})
    for (const Json& container : api::containers_of(pod, list))
      if (api::entry_name(container) == api::entry_name(status)) return api::image_of(container);
  return api::image_of(status);
}

bool is_of_network(const Json& event) {
  return api::reason_of(event) == "NetworkNotReady" || has_any(api::message_of(event), {"network", "cni"});
}

/// The cause for a container that is still being prepared. Problems with volumes or the network
/// only appear in events.
Cause starting_cause(const Facts& facts, const Json& pod) {
  constexpr std::array<std::string_view, 4> kTrouble = {"FailedMount", "FailedAttachVolume",
                                                        "FailedCreatePodSandBox", "NetworkNotReady"};
  const Json* event = newest_event(facts, pod, kTrouble);
  if (!event)
    return make_cause(CauseCode::starting, "starting",
                      fmt::format("on node {}; image and volumes are being prepared",
                                  string_at(pod, {"spec", "nodeName"}, "?")));
  const std::string message = api::message_of(*event);
  if (auto missing = missing_object(message, api::namespace_of(pod))) return *missing;
  const bool is_volume =
      contains(api::reason_of(*event), "Mount") || contains(api::reason_of(*event), "Volume");
  Cause cause = make_cause(is_volume ? CauseCode::volume_mount : CauseCode::pod_sandbox,
                           is_volume               ? "a volume cannot be mounted"
                           : is_of_network(*event) ? "no network on its node"
                                                   : "its node cannot set up the pod",
                           fmt::format("node {}: {}", api::node_of(pod), message));
  if (!is_volume)
    cause.remedies = {{"wait, or ask the cluster's administrator to look at node " + api::node_of(pod), ""}};
  cause.message = message;
  return cause;
}

Cause crash_cause(const Json& pod, const Json& status, bool is_init, const std::string& job) {
  const std::string name = api::entry_name(status);
  const long long crashes = api::crashes_of(pod, status);
  const Json* last_end = api::last_crash(status);
  const auto last = exit_cause(last_end ? *last_end : Json(), "");
  const std::string end = last ? last->brief : "it ended";
  Cause cause =
      make_cause(is_init ? CauseCode::init_container_fails : CauseCode::crash_loop,
                 is_init ? "init container fails repeatedly" : "crashes repeatedly",
                 fmt::format("{} {} of pod {} crashed {}: {}", is_init ? "init container" : "container", name,
                             api::name_of(pod),
                             crashes > 1 ? fmt::format("{} times, the last time", crashes) : "once", end));
  cause.remedies = {{"see why", fmt::format("kml logs {} --container {}", job, name)}};
  return cause;
}

std::optional<Cause> waiting_cause(const Facts& facts, const Json& pod, const Json& status, bool is_init) {
  const std::string reason = api::waiting_reason(status), message = api::waiting_message(status);
  const std::string image = image_of(pod, status), job = api::name_of(facts.job);
  if (api::is_in_crash_loop(pod, status)) return crash_cause(pod, status, is_init, job);
  if (reason == "PodInitializing") return {};  // the init container's own state says more
  if (reason == "ContainerCreating" || reason.empty()) return starting_cause(facts, pod);
  if (reason == "ErrImagePull" || reason == "ImagePullBackOff" || reason == "ImageInspectError" ||
      reason == "RegistryUnavailable")
    return pull_cause(facts, pod, image, message);
  Cause cause;
  if (reason == "InvalidImageName") {
    cause = make_cause(CauseCode::image_name_invalid, "bad image name",
                       fmt::format("\"{}\" is not an image name", image));
    cause.remedies = {{"submit it again with a valid name", "kml submit --image IMAGE …"}};
  } else if (reason == "ErrImageNeverPull") {
    cause = make_cause(
        CauseCode::image_never_pulled, "image is not on the node",
        fmt::format("image {} is not on node {}, and imagePullPolicy is Never", image, api::node_of(pod)));
  } else if (reason == "CreateContainerConfigError") {
    if (auto missing = missing_object(message, api::namespace_of(pod))) return missing;
    const std::string fault = message.substr(0, message.find(" (pod: \""));
    cause = make_cause(CauseCode::container_config, "invalid container configuration: " + fault,
                       "a container's configuration is invalid: " + fault);
    if (contains(fault, "runAsNonRoot"))
      cause.remedies = {{"submit it again as a user other than root, if its program can run as that user",
                         "kml submit --set spec.template.spec.securityContext.runAsUser=1000 …"}};
  } else {  // RunContainerError, CreateContainerError, PostStartHookError, …
    cause = make_cause(CauseCode::command_cannot_run, "cannot run: " + (message.empty() ? reason : message),
                       fmt::format("container {} cannot be run: {}", api::entry_name(status),
                                   message.empty() ? reason : message));
    if (tells_of_processor(message)) name_processor(cause);
  }
  cause.message = message;
  return cause;
}

std::optional<Cause> init_cause(const Json& pod) {
  const Json& statuses = api::container_statuses(pod, "initContainerStatuses");
  size_t place = 0;
  for (const Json& status : statuses) {
    ++place;
    if (api::is_running(status) && !bool_at(status, {"started"}))
      return make_cause(CauseCode::init_container_runs, "starting",
                        fmt::format("init container {} of pod {} is running ({} of {})",
                                    api::entry_name(status), api::name_of(pod), place, statuses.size()));
  }
  return {};
}

}  // namespace

bool tells_of_processor(std::string_view text) {
  return contains(text, "xec format error");
}

void name_processor(Cause& cause) {
  cause.code = CauseCode::image_platform;
  cause.brief = "its program is for another processor, or a script without #!";
  cause.summary +=
      "; the program is for a different processor than the node's, or is a script without a first line such "
      "as #!/bin/sh";
  cause.remedies = {{"submit it again with an image for the node's processor", "kml submit --image IMAGE …"}};
}

namespace {

/// The last line of a message, which is the most helpful one. A termination message may be the end of the log
/// (FallbackToLogsOnError), with progress bars.
std::string last_line_of(const std::string& message) {
  const std::string_view text = trim(message);
  return std::string(trim(after_carriage_returns(text.substr(text.rfind('\n') + 1))));
}

}  // namespace

std::optional<Cause> exit_cause(const Json& terminated, const std::string& name) {
  const std::string reason = api::reason_of(terminated);
  const std::string message = last_line_of(api::message_of(terminated));
  const std::string subject = name.empty() ? "" : name + ": ";
  const long long code = api::exit_code_of(terminated);
  if (reason == "OOMKilled") {
    Cause cause = make_cause(CauseCode::out_of_memory, "out of memory", subject + "ran out of memory");
    cause.remedies = {{"give it more memory, or a smaller batch", "kml submit --memory SIZE …"}};
    cause.exit_code = static_cast<int>(code);
    return cause;
  }
  if (code == 0) return {};
  std::string text = "exit code " + std::to_string(code);
  // A program may also exit by itself with a code such as 137. Most runtimes do not report whether a signal
  // killed the program.
  if (const int signal = api::signal_of(terminated))
    text += " (signal " + std::to_string(signal) + ")";
  else if (const int like = api::signal_in(code))
    text += " (as after signal " + std::to_string(like) + ")";
  const bool never_began = reason == "StartError" || reason == "ContainerCannotRun";
  const std::string brief =
      (reason != "Error" && !reason.empty() ? reason : text) + (message.empty() ? "" : ": " + message);
  Cause cause =
      make_cause(never_began ? CauseCode::command_cannot_run : CauseCode::exit_code, brief,
                 subject + (never_began ? "cannot be run" : text) + (message.empty() ? "" : ": " + message));
  cause.message = message;
  cause.exit_code = static_cast<int>(code);
  if (never_began) cause.outlook = Outlook::failed;
  if (tells_of_processor(message)) name_processor(cause);
  return cause;
}

std::optional<Cause> container_cause(const Facts& facts, const Json& pod) {
  std::optional<Cause> found;
  for (std::string_view list : {"initContainerStatuses", "containerStatuses"}) {
    for (const Json& status : api::container_statuses(pod, list)) {
      if (!find(status, {"state", "waiting"}) && !api::is_in_crash_loop(pod, status)) continue;
      std::optional<Cause> cause = waiting_cause(facts, pod, status, list == "initContainerStatuses");
      if (cause && (!found || (found->outlook == Outlook::starting && cause->outlook != Outlook::starting)))
        found = std::move(cause);
    }
    if (!found && list == "initContainerStatuses") found = init_cause(pod);
  }
  if (!found && api::container_statuses(pod).empty() && api::phase_of(pod) == "Pending")
    found = starting_cause(facts, pod);
  return found;
}

}  // namespace kml::job
