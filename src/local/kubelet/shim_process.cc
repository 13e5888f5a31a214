#include "local/kubelet/shim_process.h"

#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "kml/core/error.h"

namespace kml::local {

namespace {

Fd open_pidfd(pid_t pid) {
  return Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

Fd in_memory(const std::string& text) {
  Fd fd(::memfd_create("plan", MFD_CLOEXEC));
  if (!fd || ::pwrite(fd.get(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
    throw system_error("cannot hand a pod's plan to its shim", errno);
  return fd;
}

}  // namespace

ShimProcess ShimProcess::spawn(const std::filesystem::path& binary, const PodFolder& folder,
                               const PodPlan& plan) {
  const Fd text = in_memory(to_json(plan).dump());
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, text.get(), STDIN_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // A session of its own: what ends the server's terminal or group does not reach it.
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  const std::string path = folder.path;
  const char* argv[] = {"kml", "shim", path.c_str(), nullptr};
  pid_t pid = 0;
  const int failure =
      ::posix_spawn(&pid, binary.c_str(), &actions, &attributes, const_cast<char* const*>(argv), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) throw system_error("cannot start a pod's shim", failure);
  return {pid, open_pidfd(pid)};
}

std::optional<ShimProcess> ShimProcess::find(pid_t owner) {
  Fd pidfd = open_pidfd(owner);
  if (!pidfd) return {};
  return ShimProcess(owner, std::move(pidfd));
}

void ShimProcess::on_end(EventLoop& loop, std::function<void()> callback) {
  loop.watch(pidfd_.get(), EPOLLIN,
             [&loop, fd = pidfd_.get(), pid = pid_, callback = std::move(callback)](uint32_t) {
               loop.forget(fd);
               ::waitpid(pid, nullptr, WNOHANG);  // only a child of this process can be waited for
               callback();
             });
}

void ShimProcess::signal(int number) const {
  ::syscall(SYS_pidfd_send_signal, pidfd_.get(), number, nullptr, 0);
}

}  // namespace kml::local
