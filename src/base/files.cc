#include "kml/base/files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "kml/base/error.h"
#include "kml/base/file_error.h"
#include "kml/base/missing_path.h"
#include "kml/base/sha256.h"
#include "kml/base/text.h"

namespace kml {

namespace fs = std::filesystem;

Fd::~Fd() {
  if (fd_ >= 0) ::close(fd_);
}

bool write_whole(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

void write_all(int fd, std::string_view bytes, const fs::path& path) {
  if (write_whole(fd, bytes)) return;
  const bool is_full = errno == ENOSPC || errno == EDQUOT;
  throw system_error(
      "cannot write " + path.string(), errno,
      is_full ? "free space on its disk, then try again" : "check that its disk works, then try again");
}

namespace {

void sync(int fd, const fs::path& path) {
  if (::fsync(fd) != 0) throw system_error("cannot write " + path.string() + " to disk", errno);
}

std::string read_all(int fd, const fs::path& path, size_t limit) {
  std::string text;
  // reserved in advance: a large text that grows while being read would be copied several times
  struct stat file {};
  if (::fstat(fd, &file) == 0 && file.st_size > 0)
    text.reserve(std::min(static_cast<size_t>(file.st_size), limit));
  char buffer[1 << 16];
  for (;;) {
    ssize_t got = ::read(fd, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw file_error("read", path, errno);
    if (got == 0) return text;
    if (text.size() + static_cast<size_t>(got) > limit)
      throw Error(ErrorCode::failure, "cannot read " + path.string(),
                  "it is larger than " + std::to_string(limit) + " bytes");
    text.append(buffer, static_cast<size_t>(got));
  }
}

/// The same rule as Git's for whether to trust a repository.
bool is_own(uid_t owner) {
  if (owner == ::geteuid()) return true;
  return ::geteuid() == 0 && std::to_string(owner) == environment("SUDO_UID");
}

fs::path home_relative(const char* variable, const char* under_home) {
  if (std::string folder = environment(variable); !folder.empty()) return fs::path(folder) / "kml";
  std::string home = environment("HOME");
  if (home.empty())
    throw Error(ErrorCode::failure, "cannot determine the folder of kml's files", "HOME is not set",
                std::string("set HOME or ") + variable);
  return fs::path(home) / under_home / "kml";
}

/// The Error for a file that could not be opened.
Error unreadable(const fs::path& path, int errno_value) {
  Error error = file_error("read", path, errno_value);
  if (error.fix.empty())
    if (const auto fault = fault_of_path(path)) error.fix = fault->fix;
  return error;
}

}  // namespace

std::string read_file(const fs::path& path, size_t limit) {
  Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) throw unreadable(path, errno);
  return read_all(fd.get(), path, limit);
}

std::optional<std::string> read_file_if_exists(const fs::path& path, size_t limit) {
  Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd && (errno == ENOENT || errno == ENOTDIR)) return {};
  if (!fd) throw file_error("read", path, errno);
  return read_all(fd.get(), path, limit);
}

std::string read_own_file(const fs::path& path, size_t limit) {
  Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat file {};
  struct stat link {};
  if (!fd || ::fstat(fd.get(), &file) != 0 || ::lstat(path.c_str(), &link) != 0)
    throw unreadable(path, errno);
  for (uid_t owner : {link.st_uid, file.st_uid})
    if (!is_own(owner))
      throw usage_error(path.string() + " belongs to another user",
                        "its owner is user " + std::to_string(owner) + ", and kml is running as user " +
                            std::to_string(::geteuid()),
                        "review the file, then change the file's owner: chown " +
                            std::to_string(::geteuid()) + " FILE; or create an empty " +
                            path.filename().string() +
                            " in your project's folder, which kml then reads instead");
  return read_all(fd.get(), path, limit);
}

void write_file_atomically(const fs::path& path, std::string_view text, int mode) {
  fs::path temporary = path.string() + "." + random_hex(4) + ".tmp";
  Fd fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (!fd) throw file_error("write", path, errno);
  try {
    write_all(fd.get(), text, path);
    sync(fd.get(), path);
    if (::rename(temporary.c_str(), path.c_str()) != 0) throw file_error("write", path, errno);
  } catch (const Error&) {
    ::unlink(temporary.c_str());
    throw;
  }
  Fd folder(
      ::open(path.has_parent_path() ? path.parent_path().c_str() : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder) ::fsync(folder.get());
}

void lock_exclusively(const Fd& file, const fs::path& path) {
  while (::flock(file.get(), LOCK_EX) != 0)
    if (errno != EINTR) throw system_error("cannot lock " + path.string(), errno);
}

void append_durably(const fs::path& path, std::string_view text) {
  Fd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!fd) throw file_error("write", path, errno);
  lock_exclusively(fd, path);
  const off_t before = ::lseek(fd.get(), 0, SEEK_END);
  try {
    write_all(fd.get(), after_torn_line(fd.get(), text), path);
    sync(fd.get(), path);
  } catch (const Error&) {
    [[maybe_unused]] int ignored = ::ftruncate(fd.get(), before);
    throw;
  }
}

std::string after_torn_line(int file, std::string_view text) {
  char last = '\n';
  const off_t size = ::lseek(file, 0, SEEK_END);
  const bool is_torn = size > 0 && ::pread(file, &last, 1, size - 1) == 1 && last != '\n';
  return (is_torn ? "\n" : "") + std::string(text);
}

void make_private_folder(const fs::path& path) {
  std::error_code unknown;  // if this fails, mkdir below reports the reason
  if (path.empty() || fs::is_directory(path, unknown)) return;
  make_private_folder(path.parent_path());
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
    throw system_error("cannot create the folder " + path.string(), errno);
}

std::string path_component(std::string_view name, size_t most) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  const bool is_dots = name == "." || name == "..";
  std::string component;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '/' || c == '%' || byte < ' ' || byte == 0x7f || is_dots)
      component.append({'%', kDigits[byte >> 4], kDigits[byte & 15]});
    else
      component += c;
  }
  if (component.empty()) return "%";
  if (component.size() <= most) return component;
  const std::string end = "%-" + sha256_hex(name);
  return component.substr(0, most - end.size()) + end;
}

std::optional<fs::path> find_upwards(const fs::path& from, std::string_view name) {
  for (fs::path folder = fs::absolute(from);; folder = folder.parent_path()) {
    std::error_code ignored;
    if (fs::is_regular_file(folder / name, ignored)) return folder / name;
    if (folder == folder.parent_path()) return {};
  }
}

fs::path state_folder() {
  if (std::string folder = environment("KML_STATE_DIR"); !folder.empty()) return folder;
  return home_relative("XDG_STATE_HOME", ".local/state");
}

fs::path config_folder() {
  return home_relative("XDG_CONFIG_HOME", ".config");
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

}  // namespace kml
