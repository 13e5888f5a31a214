#include "job/first_error/deaths.h"

#include <signal.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "job/logs/container_state.h"
#include "job/logs/sources.h"
#include "kml/base/clean.h"
#include "kml/base/text.h"
#include "kml/job/first_error/first_error.h"
#include "kml/job/views/pod_view.h"
#include "kml/job/why/why.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::job {

namespace {

/// Messages about a lost rank from NCCL, Gloo, PyTorch's store, MPI and sockets.
constexpr std::array<std::string_view, 17> kPeerLost = {"ncclRemoteError",
                                                        "remote process exited",
                                                        "remote process has terminated",
                                                        "onnection closed by peer",
                                                        "onnection reset by peer",
                                                        "ConnectionResetError",
                                                        "BrokenPipeError",
                                                        "Broken pipe",
                                                        "DistBackendError",
                                                        "DistNetworkError",
                                                        "DistStoreError",
                                                        "NCCL communicator was aborted",
                                                        "Watchdog caught collective",
                                                        "watchdog thread terminated",
                                                        "failed to recv, got 0 bytes",
                                                        "recvValue failed",
                                                        "lost rank"};

constexpr std::array<std::string_view, 10> kOwnError = {
    "Segmentation fault", "terminate called", "Fatal Python error",
    "CUDA error",         "out of memory",    "Assertion `",
    "panicked at",        "panic:",           "FATAL",
    "Bus error"};

template <size_t N>
bool has_any(std::string_view line, const std::array<std::string_view, N>& words) {
  return std::any_of(words.begin(), words.end(),
                     [line](std::string_view word) { return line.find(word) != std::string_view::npos; });
}

}  // namespace

bool begins_with_exception(std::string_view line) {
  const size_t end =
      line.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.");
  if (end != std::string_view::npos && line[end] != ':') return false;
  const std::string_view name = line.substr(0, end);
  return name.ends_with("Error") || name.ends_with("Exception") || name.ends_with("Interrupt");
}

EndKind kind_of(const ContainerExit& exit, bool disrupted) {
  if (exit.out_of_memory) return EndKind::own_error;
  if (disrupted) return EndKind::killed;
  switch (exit.signal != 0 ? exit.signal : api::signal_in(exit.code)) {
    case SIGSEGV:
    case SIGBUS:
    case SIGILL:
    case SIGFPE: return EndKind::own_error;
    case SIGKILL: return EndKind::killed;
    case SIGTERM:
    case SIGINT: return EndKind::stopped;
    default: return EndKind::unexplained;
  }
}

std::optional<EndKind> kind_told_by(std::string_view text) {
  const std::string plain = without_colours(text);
  const std::string_view line = trim(plain);
  if (has_any(line, kPeerLost)) return EndKind::peer_lost;
  if (begins_with_exception(line) || has_any(line, kOwnError)) return EndKind::own_error;
  return {};
}

namespace {

/// `disruption` is the reason why the node or the scheduler removed the pod; empty if neither did.
void add(std::vector<Death>& deaths, const LogSource& source, const std::optional<ContainerExit>& exit,
         const std::string& disruption) {
  if (!exit || !exit->is_bad()) return;
  deaths.push_back({source, source.rank, *exit, kind_of(*exit, !disruption.empty()), exit->code});
  if (!disruption.empty()) deaths.back().exit.reason = disruption;
}

/// Looks at the pod's reason, too: a node that evicts a pod because the pod filled its volume does not set
/// DisruptionTarget.
std::string disruption_reason(const Json& pod) {
  const bool evicted = api::status_reason(pod) == "Evicted";
  if (!api::condition_is_true(pod, "DisruptionTarget") && !evicted) return {};
  const std::string cause = view_of_pod(pod).cause;
  return cause.empty() ? "disrupted" : cause;
}

/// Adds a pod that failed as a whole, as when its node was lost or evicted it.
void add_failed_pod(std::vector<Death>& deaths, const Json& pod, const LogSource& source) {
  const PodView view = view_of_pod(pod);
  if (view.phase != "Failed") return;
  ContainerExit exit;
  exit.reason = view.cause.empty() ? "Failed" : view.cause;
  const api::Condition disruption = api::condition(pod, "DisruptionTarget");
  exit.finished = disruption ? disruption.since() : view.started;
  deaths.push_back({source, source.rank, exit, EndKind::killed, 0});
}

}  // namespace

std::vector<Death> deaths_of(const Json& job, std::vector<Json> pods, bool only_last_runs) {
  sort_by_age(pods);
  const LogSelection all;
  Sources sources(all);
  std::vector<Death> deaths;
  for (const Json& pod : pods) {
    const std::string disruption = disruption_reason(pod);
    const bool was_stopped = crash_before_stop(pod) != nullptr;
    const size_t before = deaths.size();
    const std::vector<LogSource> containers = sources.of(pod, &job);
    for (LogSource source : containers) {
      const ContainerState state = container_state(pod, source.container);
      const bool crashed_before = was_stopped && state.exit_before && state.exit_before->is_bad();
      source.restart = std::max(state.restarts - 1, 0);
      if (!only_last_runs || !state.exit || crashed_before)
        add(deaths, source, state.exit_before, disruption);
      source.restart = state.restarts;
      if (!crashed_before) add(deaths, source, state.exit, disruption);
    }
    if (deaths.size() == before && !containers.empty()) add_failed_pod(deaths, pod, containers.back());
  }
  return deaths;
}

namespace {

/// A death cannot have caused another death that happened earlier by more than this. The API's times cannot
/// order deaths that are closer together, because they are whole seconds from several nodes' clocks.
constexpr std::chrono::seconds kFirstMoments{2};

Time end_of(const Death& death) {
  return death.exit.finished.value_or(Time::max());
}

}  // namespace

const Death* died_first(std::span<const Death> deaths) {
  // A rank that lost a peer cannot have died first, whatever the times say.
  const auto is_cause = [](const Death& death) { return death.kind != EndKind::peer_lost; };
  const bool any_cause = std::any_of(deaths.begin(), deaths.end(), is_cause);
  Time first = Time::max();
  for (const Death& death : deaths)
    if (!any_cause || is_cause(death)) first = std::min(first, end_of(death));
  const auto order = [](const Death& death) {
    return std::tuple(death.kind, !death.is_named, death.when(), death.rank.value_or(1 << 30));
  };
  const Death* best = nullptr;
  for (const Death& death : deaths) {
    if (any_cause && !is_cause(death)) continue;
    if (end_of(death) - first > kFirstMoments) continue;
    if (!best || order(death) < order(*best)) best = &death;
  }
  return best;
}

}  // namespace kml::job
