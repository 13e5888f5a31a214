#include "launch/local_ranks.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"

namespace trainer {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kGrace = std::chrono::seconds(10);  ///< the time for ranks to end after another rank has died

void set(const char* name, uint64_t value) {
  setenv(name, std::to_string(value).c_str(), 1);
}

/// Sets the variables that torchrun sets, for one of the ranks.
void set_environment(const Launch& launch, uint32_t local_rank) {
  set("LOCAL_RANK", local_rank);
  set("LOCAL_WORLD_SIZE", launch.local_world);
  for (const char* name : {"RANK", "WORLD_SIZE", "TORCHELASTIC_USE_AGENT_STORE"}) unsetenv(name);
  if (launch.least_world < launch.world) return;  // the number of ranks is only known after they have met
  set("RANK", launch.rank + local_rank);
  set("WORLD_SIZE", launch.world);
  set("MASTER_PORT", launch.master_port);
  set("TORCHELASTIC_RESTART_COUNT", launch.attempt);
  setenv("MASTER_ADDR", launch.master_address.c_str(), 1);
  if (!launch.job.empty()) setenv("TORCHELASTIC_RUN_ID", launch.job.c_str(), 1);
}

[[noreturn]] void become_rank(const Launch& launch, uint32_t local_rank, char** arguments, pid_t parent,
                              const sigset_t& mask) {
  // A separate process group, so that only the parent passes on Ctrl-C, and only once.
  if (setpgid(0, 0) != 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent) _exit(1);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  set_environment(launch, local_rank);
  execv("/proc/self/exe", arguments);
  _exit(127);
}

class LocalRanks {
 public:
  LocalRanks(const Launch& launch, char** arguments) {
    sigemptyset(&signals_);
    for (int signal : {SIGTERM, SIGINT, SIGCHLD}) sigaddset(&signals_, signal);
    sigset_t before;
    sigprocmask(SIG_BLOCK, &signals_, &before);
    const pid_t parent = getpid();
    for (uint32_t local_rank = 0; local_rank < launch.local_world; ++local_rank) {
      const pid_t child = fork();
      if (child == 0) become_rank(launch, local_rank, arguments, parent, before);
      if (child < 0) {
        const int error = errno;
        tell_all(SIGKILL);
        throw Error("cannot start local rank " + std::to_string(local_rank), errno_text(error));
      }
      ranks_.push_back(child);
    }
  }

  int run() {
    while (!ranks_.empty()) {
      const timespec second{1, 0};
      const int signal = sigtimedwait(&signals_, nullptr, &second);
      if (signal == SIGTERM || signal == SIGINT) {
        tell_all(signal);
        told_ = true;
      }
      reap();
      if (kill_at_ && Clock::now() >= *kill_at_) tell_all(SIGKILL);
    }
    return status_;
  }

 private:
  void tell_all(int signal) const {
    for (const pid_t rank : ranks_) kill(rank, signal);
  }

  void reap() {
    int status;
    for (pid_t rank; (rank = waitpid(-1, &status, WNOHANG)) > 0;) {
      std::erase(ranks_, rank);
      const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      if (code == 0 || status_ != 0) continue;
      status_ = code;
      // A second signal would end the ranks at once, although one of them may be writing a checkpoint.
      if (!told_) tell_all(SIGTERM);
      told_ = true;
      const bool asked_to_stop = code == 128 + SIGTERM || code == 128 + SIGINT || code == kStartAgain;
      if (!asked_to_stop) kill_at_ = Clock::now() + kGrace;
    }
  }

  sigset_t signals_;
  std::vector<pid_t> ranks_;
  bool told_ = false;
  int status_ = 0;
  std::optional<Clock::time_point> kill_at_;
};

}  // namespace

int run_local_ranks(const Launch& launch, char** arguments) {
  return LocalRanks(launch, arguments).run();
}

}  // namespace trainer
