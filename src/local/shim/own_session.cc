#include "local/shim/own_session.h"

#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include "kml/base/error.h"

namespace kml::local {

pid_t start_in_own_session(const std::filesystem::path& binary, const char* command,
                           const std::filesystem::path& folder, int input, const std::string& what) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (input >= 0) posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  const char* argv[] = {"kml", command, folder.c_str(), nullptr};
  pid_t pid = 0;
  const int failure =
      ::posix_spawn(&pid, binary.c_str(), &actions, &attributes, const_cast<char* const*>(argv), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) throw system_error("cannot start " + what, failure);
  return pid;
}

}  // namespace kml::local
