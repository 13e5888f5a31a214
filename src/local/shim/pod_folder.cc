#include "local/shim/pod_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "kml/base/error.h"

namespace kml::local {

Fd open_pod_file(const std::filesystem::path& path, int flags, mode_t mode) {
  Fd fd(::open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, mode));
  struct stat info {};
  if (!fd || (::fstat(fd.get(), &info) == 0 && S_ISREG(info.st_mode))) return fd;
  errno = EINVAL;
  return Fd();
}

namespace {

/// The text of a file that was written while the disk was full. Such a text is stored as the target of a
/// link, see replace_file().
std::optional<std::string> target_of(const std::filesystem::path& link) {
  std::error_code failure;
  std::filesystem::path target = std::filesystem::read_symlink(link, failure);
  return failure ? std::nullopt : std::optional(target.string());
}

bool is_full(int code) {
  return code == ENOSPC || code == EDQUOT;
}

}  // namespace

std::optional<std::string> read_pod_file(const std::filesystem::path& path) {
  const Fd fd = open_pod_file(path, O_RDONLY);
  if (!fd && errno == ELOOP) return target_of(path);
  if (!fd) return {};
  try {
    return read_file_if_exists("/proc/self/fd/" + std::to_string(fd.get()));
  } catch (const Error&) {  // the file is too large, so kml did not write it
    return {};
  }
}

bool replace_file(const std::filesystem::path& path, const std::string& text) {
  const std::string temporary = path.string() + ".tmp";
  ::unlink(temporary.c_str());
  Fd fd = open_pod_file(temporary, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  bool is_written = fd && ::write(fd.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
  // The target of a short link is stored in the folder or with the file's metadata, and needs no further disk
  // block.
  if (!is_written && is_full(errno))
    is_written = ::unlink(temporary.c_str()) == 0 && ::symlink(text.c_str(), temporary.c_str()) == 0;
  return is_written && ::rename(temporary.c_str(), path.c_str()) == 0;
}

bool write_stop_order(const PodFolder& folder, const StopOrder& order) {
  return replace_file(folder.stop(), std::to_string(order.grace_seconds) + " " + order.reason);
}

std::optional<StopOrder> read_stop_order(const PodFolder& folder) {
  const auto text = read_pod_file(folder.stop());
  if (!text) return {};
  const size_t blank = text->find(' ');
  return StopOrder{std::atof(text->c_str()), blank == std::string::npos ? "" : text->substr(blank + 1)};
}

std::optional<Fd> take_claim(const PodFolder& folder) {
  Fd fd = open_pod_file(folder.claim(), O_RDWR | O_CREAT, 0600);
  if (!fd && errno == ENOENT) return {};
  if (!fd) throw system_error("cannot claim the pod in " + folder.path.string(), errno);
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) return {};
  if (::lseek(fd.get(), 0, SEEK_END) != 0) return {};
  const std::string pid = std::to_string(::getpid());
  if (::pwrite(fd.get(), pid.data(), pid.size(), 0) != static_cast<ssize_t>(pid.size()))
    throw system_error("cannot claim the pod in " + folder.path.string(), errno);
  return fd;
}

Claim read_claim(const PodFolder& folder) {
  Fd fd = open_pod_file(folder.claim(), O_RDONLY);
  if (!fd) return {Claim::none};
  // While the owner holds its exclusive lock, this shared lock fails. If this lock makes a new shim fail to
  // claim the pod, the server starts another shim.
  const bool held = ::flock(fd.get(), LOCK_SH | LOCK_NB) != 0;
  char text[16] = {};
  const ssize_t got = ::read(fd.get(), text, sizeof text - 1);
  if (got <= 0) return {held ? Claim::held : Claim::none};
  return {held ? Claim::held : Claim::released, static_cast<pid_t>(std::atoi(text))};
}

}  // namespace kml::local
