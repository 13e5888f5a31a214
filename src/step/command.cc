#include "step/command.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "step/record/recorder.h"
#include "step/say.h"

namespace kml::step {

namespace {

constexpr int kNotThere = 127, kCannotRun = 126;

/// All signals, except those that the kernel raises for faults in this program itself.
sigset_t passed_on() {
  sigset_t set;
  ::sigfillset(&set);
  for (const int fault : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS, SIGABRT})
    ::sigdelset(&set, fault);
  return set;
}

[[noreturn]] void become(char* const* words, const sigset_t& mask) {
  ::sigprocmask(SIG_SETMASK, &mask, nullptr);
  ::execvp(words[0], words);
  give_up_by_errno(std::string("cannot run ") + words[0], errno == ENOENT ? kNotThere : kCannotRun);
}

/// Reaps all processes that have ended. Returns whether the command was one of them.
bool reap(pid_t command, int& status) {
  bool has_ended = false;
  for (;;) {
    int other = 0;
    const pid_t pid = ::waitpid(-1, &other, WNOHANG);
    if (pid <= 0) return has_ended;
    if (pid != command) continue;
    status = other;
    has_ended = true;
  }
}

}  // namespace

int run_command(char* const* words, Recorder* recorder) {
  const sigset_t signals = passed_on();
  sigset_t before;
  ::sigprocmask(SIG_BLOCK, &signals, &before);  // before fork(), so that no signal is lost
  const pid_t command = ::fork();
  if (command < 0) give_up_by_errno("cannot start the command");
  if (command == 0) {
    if (recorder) recorder->begin();
    become(words, before);
  }
  if (recorder) recorder->adopt(command);
  int status = 0;
  for (;;) {
    siginfo_t signal{};
    if (recorder) recorder->serve(signals);
    const int number = ::sigwaitinfo(&signals, &signal);
    if (number < 0) continue;  // interrupted (EINTR)
    if (number == SIGCHLD) {
      if (reap(command, status)) return status;
    } else {
      ::kill(command, number);
    }
  }
}

void end_as(int status) {
  if (WIFEXITED(status)) ::_exit(WEXITSTATUS(status));
  const int number = WTERMSIG(status);
  const rlimit none{0, 0};
  // the command has already written its own core dump, if core dumps are enabled
  ::setrlimit(RLIMIT_CORE, &none);
  ::signal(number, SIG_DFL);
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_UNBLOCK, &all, nullptr);
  ::raise(number);
  ::_exit(128 + number);
}

}  // namespace kml::step
