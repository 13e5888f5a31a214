#include "net/fetch/turn.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "kml/base/error.h"
#include "net/fetch/names.h"

namespace kml::fetch {

namespace fs = std::filesystem;

namespace {

/// The name of the pod, which stays when its container starts again.
std::string machine() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? path_component(name.data()) : "unknown";
}

bool make_own_folder(const fs::path& folder) {
  if (::mkdir(folder.c_str(), 0755) == 0) return true;
  if (errno != EEXIST) throw system_error("cannot create " + folder.string(), errno);
  struct stat there {};
  if (::lstat(folder.c_str(), &there) != 0 || !S_ISDIR(there.st_mode))
    throw Error(ErrorCode::failure, "cannot write to " + folder.string(), "it is not a folder", "delete it");
  return ::access(folder.c_str(), W_OK | X_OK) == 0;
}

}  // namespace

Turn::Turn(const fs::path& folder, const std::string& what, const Means& means) : folder_(folder) {
  const fs::path file = beside(folder, kLock);
  // A network file system may grant an exclusive lock only on a file that is open for writing.
  lock_ = Fd(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
  if (!lock_ && errno == EACCES && fs::exists(file)) lock_ = Fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!lock_) throw system_error("cannot write to " + folder.parent_path().string(), errno);
  ::fchmod(lock_.get(), 0666);  // another user's pod may want the same data
  is_locked_ = ::flock(lock_.get(), LOCK_EX | LOCK_NB) == 0;
  if (is_locked_ || errno != EWOULDBLOCK) return;
  means.note("waiting for another pod, which fetches " + what);
  int result = 0;
  do result = ::flock(lock_.get(), LOCK_EX);
  while (result != 0 && errno == EINTR);
  is_locked_ = result == 0;
}

fs::path Turn::part() const {
  if (fs::path usual = beside(folder_, kPart); is_locked_ && make_own_folder(usual)) return usual;
  fs::path own = beside(folder_, std::string(kPart) + "-" + machine() + "-" + std::to_string(::geteuid()));
  if (!make_own_folder(own)) throw system_error("cannot write to " + own.string(), EACCES);
  return own;
}

}  // namespace kml::fetch
