#include "kml/base/beneath.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>
#include <vector>

#include "kml/base/sha256.h"
#include "kml/base/system_calls.h"
#include "kml/base/text.h"

namespace kml {

namespace {

constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

std::string_view last_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

bool may_others_write(int folder) {
  struct stat status {};
  return ::fstat(folder, &status) != 0 || (status.st_mode & (S_IWGRP | S_IWOTH)) != 0;
}

}  // namespace

std::string part_name(std::string_view name) {
  constexpr size_t kMost = 255 - std::string_view("..kml-part").size(), kKept = 200, kDigits = 16;
  const std::string base =
      name.size() <= kMost ? std::string(name)
                           : std::string(name.substr(0, kKept)) + "-" + sha256_hex(name).substr(0, kDigits);
  return "." + base + ".kml-part";
}

Beneath::Beneath(std::filesystem::path folder)
    : folder_(std::move(folder)), root_(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (!root_) throw system_error("cannot write to " + folder_.string(), errno);
}

Error Beneath::failed(const char* what, std::string_view path, int errno_value) const {
  const std::string place = (folder_ / path).string();
  if (errno_value == ELOOP)
    return Error(ErrorCode::failure, what + place, "its path leads through a link or a file",
                 "remove that link or file, or choose another target");
  return system_error(what + place, errno_value);
}

int Beneath::parent_of(std::string_view path) {
  if (!is_path_beneath(path))
    throw Error(ErrorCode::failure, "cannot write the received file \"" + std::string(path) + "\"",
                "the name leads out of " + folder_.string());
  const size_t end = path.rfind('/');
  if (end == std::string_view::npos) return root_.get();
  const std::string_view parent = path.substr(0, end);
  if (parent_ && parent == parent_path_) return parent_.get();
  Fd at;
  for (const std::string& name : split(parent, '/')) {
    at = Fd(::openat(at ? at.get() : root_.get(), name.c_str(), kFolder));
    // With O_DIRECTORY, opening a link fails with ENOTDIR.
    if (!at) throw failed("cannot write ", path, errno == ENOTDIR ? ELOOP : errno);
  }
  parent_ = std::move(at);
  parent_path_ = parent;
  return parent_.get();
}

void Beneath::make_folder(const std::string& path, unsigned mode) {
  const int parent = parent_of(path);
  const std::string name(last_name(path));
  if (::mkdirat(parent, name.c_str(), mode) != 0 && errno != EEXIST)
    throw failed("cannot create the folder ", path, errno);
  const Fd made(::openat(parent, name.c_str(), kFolder));
  if (!made)
    throw Error(ErrorCode::failure, "cannot create the folder " + (folder_ / path).string(),
                "a file or a link has that name");
}

Fd Beneath::open_part(const std::string& path) {
  const int parent = parent_of(path);
  Fd part(::openat(parent, part_name(last_name(path)).c_str(),
                   O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600));
  if (!part) throw failed("cannot write ", path, errno);
  struct stat at {};
  if (::fstat(part.get(), &at) != 0 || !S_ISREG(at.st_mode) || at.st_nlink != 1)
    throw Error(ErrorCode::failure, "cannot write " + (folder_ / path).string(),
                part_name(last_name(path)) + " in the same folder is not a plain file", "remove it");
  // Another user who owns the file could read and change what is written to it. On a network file system, the
  // user's own files may appear to belong to another user, so the owner is only checked if others can write
  // into the folder.
  if (at.st_uid != ::geteuid() && may_others_write(parent))
    throw Error(ErrorCode::failure, "cannot write " + (folder_ / path).string(),
                part_name(last_name(path)) + " in the same folder belongs to another user",
                "remove that file");
  return part;
}

void Beneath::remove_part(const std::string& path) {
  ::unlinkat(parent_of(path), part_name(last_name(path)).c_str(), 0);
}

/// The file gets its name only once it has its content, mode and time.
bool Beneath::create(const std::string& path, std::string_view content, unsigned mode, long long modified) {
  const int parent = parent_of(path);
  const Fd file = make_nameless(parent);
  if (!file) return false;
  const timespec times[] = {{.tv_sec = 0, .tv_nsec = UTIME_OMIT}, {.tv_sec = modified, .tv_nsec = 0}};
  const std::string name(last_name(path));
  return write_whole(file.get(), content) && ::fchmod(file.get(), mode) == 0 &&
         ::futimens(file.get(), times) == 0 && give_name(file.get(), parent, name.c_str());
}

Fd Beneath::new_file(const std::string& path, unsigned mode) {
  const int parent = parent_of(path);
  Fd file(::openat(parent, std::string(last_name(path)).c_str(),
                   O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  if (!file) throw failed("cannot write ", path, errno);
  return file;
}

void Beneath::complete(const std::string& path, unsigned mode, long long modified) {
  const int parent = parent_of(path);
  const std::string name(last_name(path)), part = part_name(name);
  const timespec times[] = {{.tv_sec = 0, .tv_nsec = UTIME_OMIT}, {.tv_sec = modified, .tv_nsec = 0}};
  if (::fchmodat(parent, part.c_str(), mode, 0) != 0 ||
      ::utimensat(parent, part.c_str(), times, AT_SYMLINK_NOFOLLOW) != 0 ||
      ::renameat(parent, part.c_str(), parent, name.c_str()) != 0)
    throw failed("cannot write ", path, errno);
}

void Beneath::make_link(const std::string& path, const std::string& target) {
  const int parent = parent_of(path);
  const std::string name(last_name(path)), part = part_name(name);
  ::unlinkat(parent, part.c_str(), 0);
  if (::symlinkat(target.c_str(), parent, part.c_str()) != 0 ||
      ::renameat(parent, part.c_str(), parent, name.c_str()) != 0)
    throw failed("cannot make the link ", path, errno);
}

void Beneath::set_folder_mode(const std::string& path, unsigned mode) {
  const Fd folder(::openat(parent_of(path), std::string(last_name(path)).c_str(), kFolder));
  if (!folder || ::fchmod(folder.get(), mode) != 0)
    throw failed("cannot set the mode of the folder ", path, errno);
}

}  // namespace kml
