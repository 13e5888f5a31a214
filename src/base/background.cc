#include "kml/base/background.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "kml/base/error.h"
#include "kml/base/file_error.h"
#include "kml/base/process.h"
#include "kml/base/system_calls.h"

namespace kml {

namespace {

// The file descriptor of the pipe to the process that started this one.
constexpr int kStarterFd = 3;

/// Forks twice and starts a session: init becomes the parent, and neither Ctrl-C nor a terminal's hang-up
/// reaches the process. Uses only calls that are safe after fork() in a program with threads.
[[noreturn]] void become_background(const char* program, char* const* argv, const char* folder, int null,
                                    int log, int starter) {
  ::setsid();
  if (::fork() != 0) ::_exit(0);
  ::dup2(null, STDIN_FILENO);
  ::dup2(log, STDOUT_FILENO);
  ::dup2(log, STDERR_FILENO);
  ::dup2(starter, kStarterFd);
  close_from(kStarterFd + 1);
  // exec() keeps the signal mask, and ignored signals stay ignored, so both are reset.
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (*folder != '\0' && ::chdir(folder) != 0) ::_exit(1);
  ::execv(program, argv);
  ::_exit(127);
}

std::string read_to_end(const Fd& reader) {
  std::string text;
  char buffer[4096];
  for (ssize_t got; (got = ::read(reader.get(), buffer, sizeof buffer)) != 0;) {
    if (got < 0 && errno != EINTR) break;
    if (got > 0) text.append(buffer, static_cast<size_t>(got));
  }
  return text;
}

}  // namespace

std::string start_in_background(const BackgroundProgram& program) {
  const std::string executable = own_executable();
  std::vector<char*> argv;
  for (const std::string& word : program.argv) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  Fd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  Fd log(::open(program.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!log) throw file_error("write", program.log, errno);
  Pipe pipe = make_pipe();
  if (!pipe.reader) throw system_error("cannot create a pipe", errno);
  // Moves the descriptors to higher numbers, because dup2() will replace the numbers 0 to 3 below.
  for (Fd* fd : {&null, &log, &pipe.writer}) *fd = Fd(::fcntl(fd->get(), F_DUPFD_CLOEXEC, 10));
  const pid_t child = ::fork();
  if (child < 0) throw system_error("cannot start a process", errno);
  if (child == 0)
    become_background(executable.c_str(), argv.data(), program.folder.c_str(), null.get(), log.get(),
                      pipe.writer.get());
  pipe.writer = Fd();
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  return read_to_end(pipe.reader);
}

Starter::Starter() : pipe_(kStarterFd) {
  ::fcntl(kStarterFd, F_SETFD, FD_CLOEXEC);
}

void Starter::tell(const std::string& text) {
  // fails if the waiting process has already ended, which is harmless
  static_cast<void>(write_whole(pipe_.get(), text));
  pipe_ = Fd();
}

}  // namespace kml
