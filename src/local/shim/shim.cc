// The state of one pod. It only changes through events: a child has ended, the server has sent SIGTERM, or a
// timer has expired. The shim outlives the server, so the two communicate through files. The order to stop
// may be written before the shim can receive the signal. If the status does not fit on the disk, it is
// written again and again, because the server has no other way to learn how the pod ended.

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <set>

#include "kml/base/error.h"
#include "kml/base/exception_text.h"
#include "kml/local/daemon.h"
#include "local/loop/event_loop.h"
#include "local/shim/command_listener.h"
#include "local/shim/container.h"
#include "local/shim/process_tree.h"
#include "local/shim/status_file.h"

namespace kml::local {

namespace {

using namespace std::chrono_literals;

/// Runs one pod: first the init containers one by one, then all other containers together.
class Shim {
 public:
  Shim(PodFolder folder, PodPlan plan)
      : plan_(std::move(plan)),
        cgroup_(plan_, folder),
        context_{loop_, plan_, std::move(folder), [this] { changed(); }, [this] { kill_orphans(); }, cgroup_},
        status_(context_.folder),
        commands_(loop_, context_.folder, [this](const std::string& name) { return requests_of(name); }) {
    // Init containers run again until they succeed, unless the pod's policy is Never.
    const std::string init_restarts = plan_.restart_policy == "Never" ? "Never" : "OnFailure";
    for (const ContainerPlan& container : plan_.init_containers)
      init_.emplace_back(context_, container, init_restarts);
    for (const ContainerPlan& container : plan_.containers)
      main_.emplace_back(context_, container, plan_.restart_policy);
  }

  void run() {
    loop_.on_signal(SIGCHLD, [this] { reap(); });
    loop_.on_signal(SIGTERM, [this] { stop(); });
    // The order may have been written before the shim could receive the signal.
    if (read_stop_order(context_.folder)) stop();
    started_at_ = system_clock().now();
    // RLIMIT_NPROC does not apply to root.
    if (plan_.max_processes > 0 && !cgroup_.limits_processes() && ::geteuid() == 0) watch_processes();
    proceed();
    loop_.run();
  }

 private:
  void changed() {
    if (std::exchange(dirty_, true)) return;
    loop_.defer([this] {
      dirty_ = false;
      proceed();
      write_status();
    });
  }

  void reap() {
    int status;
    pid_t pid;
    while ((pid = ::waitpid(-1, &status, WNOHANG)) > 0)
      for (auto* group : {&init_, &main_})
        for (Container& container : *group)
          if (container.reaped(pid)) break;
  }

  void kill_orphans() {
    std::set<pid_t> keepers;
    each([&](const Container& container) { keepers.insert(container.keeper()); });
    kill_descendants_except(keepers);
  }

  /// Kills the pod's containers if the pod has too many processes. Used if the kernel does not enforce the
  /// limit.
  void watch_processes() {
    constexpr auto kInterval = 250ms;
    // Counting all threads is fast. If the whole machine has no more than the limit, neither does the pod.
    if (count_all_threads() > plan_.max_processes)
      if (const int64_t count = count_descendants(); count > plan_.max_processes)
        each([&](Container& container) {
          container.kill_because(
              fmt::format("killed: the pod had {} processes and threads, but its limit is {}", count,
                          plan_.max_processes));
        });
    loop_.after(kInterval, [this] { watch_processes(); });
  }

  /// Starts the containers that must start next.
  void proceed() {
    if (stopping_ || main_started_) return;
    for (Container& container : init_) {
      if (!container.finished()) {
        if (&container != current_init_) {
          current_init_ = &container;
          container.start();
        }
        return;
      }
      if (container.exit_code() != 0) return;
    }
    main_started_ = true;
    for (Container& container : main_) container.start();
  }

  /// Carries out the server's order in the file `stop`: runs the preStop hooks, then sends SIGTERM to the
  /// programs, and SIGKILL to all processes after the grace period. A later order with a shorter grace period
  /// replaces an earlier one.
  void stop() {
    const StopOrder order = read_stop_order(context_.folder).value_or(StopOrder());
    const auto grace =
        std::chrono::duration_cast<nanoseconds>(std::chrono::duration<double>(order.grace_seconds));
    if (!std::exchange(stopping_, true)) each([](Container& container) { container.stop(); });
    loop_.cancel(kill_timer_);
    kill_timer_ = loop_.after(grace, [this, is_forced = grace <= 0s] { end_grace(is_forced); });
    changed();
  }

  /// If a hook has used up the whole grace period, its container gets SIGTERM and two more seconds, as in the
  /// kubelet.
  void end_grace(bool is_forced) {
    bool all_killed = true;
    each([&](Container& container) {
      if (!container.is_in_hook() || is_forced) return container.kill();
      container.terminate();
      all_killed = false;
    });
    if (!all_killed) kill_timer_ = loop_.after(2s, [this] { end_grace(true); });
  }

  template <typename Do>
  void each(Do action) {
    for (auto* group : {&init_, &main_})
      for (Container& container : *group) action(container);
  }

  /// The socket for CommandRequests to that container; null if the container is not running.
  const Fd* requests_of(const std::string& name) {
    const Fd* requests = nullptr;
    each([&](const Container& container) {
      if (container.name() == name) requests = container.requests();
    });
    return requests;
  }

  std::string phase() {
    bool running = false, failed = false, all_finished = true;
    each([&](Container& container) {
      running = running || container.running();
      all_finished = all_finished && container.finished();
      failed = failed || (container.finished() && container.exit_code() != 0);
    });
    const bool init_failed = std::any_of(init_.begin(), init_.end(), [](const Container& container) {
      return container.finished() && container.exit_code() != 0;
    });
    if (init_failed || (stopping_ && !running)) return failed || !all_finished ? "Failed" : "Succeeded";
    if (all_finished) return failed ? "Failed" : "Succeeded";
    return main_started_ ? "Running" : "Pending";
  }

  void write_status() {
    const std::string phase_now = phase();
    const bool ended = phase_now == "Failed" || phase_now == "Succeeded";
    Json status = {{"phase", phase_now}, {"startedAt", rfc3339_nano(started_at_)}};
    for (const Container& container : init_) status["initContainerStatuses"].push_back(container.status());
    for (const Container& container : main_) status["containerStatuses"].push_back(container.status());
    if (ended) status["finishedAt"] = rfc3339_nano(system_clock().now());
    if (!status_.write(status))
      // The disk is full. The shim does not exit until it has written the status, so that the server learns
      // how the pod ended.
      loop_.after(1s, [this] { write_status(); });
    else if (ended)
      loop_.stop();
  }

  EventLoop loop_;
  PodPlan plan_;
  PodCgroup cgroup_;
  ContainerContext context_;
  StatusFile status_;
  CommandListener commands_;
  std::deque<Container> init_, main_;
  Container* current_init_ = nullptr;
  bool main_started_ = false, stopping_ = false, dirty_ = false;
  EventLoop::Timer kill_timer_{};
  Time started_at_{};
};

}  // namespace

int run_shim(const std::filesystem::path& pod_folder) {
  ::setsid();
  ::prctl(PR_SET_NAME, "kml-shim");
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::signal(SIGPIPE, SIG_IGN);
  const PodFolder folder{pod_folder};
  try {
    const std::optional<Fd> claim = take_claim(folder);
    if (!claim) return 0;
    Shim(folder, pod_plan_from_json(parse_json(read_file("/dev/stdin"), "the plan"))).run();
    return 0;
  } catch (const Error& e) {
    log_text("the shim of " + pod_folder.string() + ": " + describe(e));
  } catch (const std::exception& e) {
    log_text("the shim of " + pod_folder.string() + ": " + exception_text(e) + "\n");
  }
  return 1;
}

}  // namespace kml::local
