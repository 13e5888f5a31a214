#include "local/shim/container_mounts.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "kml/base/files.h"
#include "kml/base/text.h"

namespace kml::local {

namespace fs = std::filesystem;

namespace {

using Failure = std::optional<std::string>;

std::string failed(std::string_view what) {
  return fmt::format("{}: {}", what, std::strerror(errno));
}

bool write_proc(const char* path, const std::string& text) {
  Fd fd(::open(path, O_WRONLY | O_CLOEXEC));
  return fd && ::write(fd.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

bool bind_mount(const fs::path& source, const fs::path& target) {
  return ::mount(source.c_str(), target.c_str(), nullptr, MS_BIND | MS_REC, nullptr) == 0;
}

bool make_file(const fs::path& path) {
  return static_cast<bool>(Fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644)));
}

bool make_read_only(const fs::path& path) {
  // In a user namespace, the kernel rejects a remount that would drop flags that the mount has outside of the
  // namespace.
  struct statfs info;
  constexpr unsigned long kLocked = MS_NOSUID | MS_NODEV | MS_NOEXEC;
  const unsigned long kept =
      ::statfs(path.c_str(), &info) == 0 ? static_cast<unsigned long>(info.f_flags) & kLocked : 0;
  return ::mount(nullptr, path.c_str(), nullptr, MS_BIND | MS_REMOUNT | MS_RDONLY | kept, nullptr) == 0;
}

fs::path nearest_parent(fs::path path) {
  do path = path.parent_path();
  while (!fs::is_directory(path) && path != "/");
  return path;
}

/// Whether the path is one of the machine's consoles. /dev has a hundred of them, and containers get none.
bool is_console(const fs::path& path) {
  const std::string name = path.filename();
  const bool is_screen = name.starts_with("tty") && name.size() > 3 && is_digit(name[3]);
  return path.parent_path() == "/dev" && (is_screen || name.starts_with("vcs"));
}

bool is_under(const fs::path& path, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

/// Mounts the volumes of a container in the order of their paths, because a volume may be inside another one.
class Mounter {
 public:
  explicit Mounter(const MountRequest& request) : request_(request) {}

  Failure run() {
    std::vector<const Mount*> mounts;
    for (const Mount& mount : request_.mounts) mounts.push_back(&mount);
    std::stable_sort(mounts.begin(), mounts.end(),
                     [](const Mount* a, const Mount* b) { return a->path < b->path; });
    for (const Mount* mount : mounts) {
      if (Failure failure = put(*mount)) {
        if (mount->is_optional) continue;
        return fmt::format("cannot mount {} at {}: {}", mount->what, mount->path, *failure);
      }
      done_.push_back(fs::path(mount->path).lexically_normal());
    }
    for (const fs::path& tree : trees_)
      if (!make_read_only(tree)) return failed("cannot protect " + tree.string());
    return request_.read_only_root ? protect_all(mounts) : Failure();
  }

 private:
  /// Makes everything read-only except volumes, /proc and /dev/shm, as readOnlyRootFilesystem requires.
  Failure protect_all(const std::vector<const Mount*>& mounts) const {
    mount_attr read_only{};
    read_only.attr_set = MOUNT_ATTR_RDONLY;
    if (::syscall(SYS_mount_setattr, AT_FDCWD, "/", AT_RECURSIVE, &read_only, sizeof read_only) != 0)
      return failed("cannot make the root file system read-only");
    mount_attr writable{};
    writable.attr_clr = MOUNT_ATTR_RDONLY;
    auto open_up = [&](const char* path) {
      return ::syscall(SYS_mount_setattr, AT_FDCWD, path, 0, &writable, sizeof writable) == 0;
    };
    for (const char* path : {"/proc", "/dev/shm"}) open_up(path);  // these paths may not be mount points
    for (const Mount* mount : mounts)
      if (!mount->read_only && !open_up(mount->path.c_str()) && !mount->is_optional)
        return failed("cannot make " + mount->path + " writable");
    return {};
  }

  Failure put(const Mount& mount) {
    const fs::path path = fs::path(mount.path).lexically_normal();
    const bool memory = mount.source.empty();
    if (!memory && !fs::exists(mount.source)) return mount.source + " does not exist";
    const bool folder = memory || fs::is_directory(mount.source);
    if (Failure failure = make_target(path, folder)) return failure;
    if (memory) {
      const std::string size = mount.memory_size.empty() ? "" : ",size=" + mount.memory_size;
      return ::mount("kml", path.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, ("mode=1777" + size).c_str()) == 0
                 ? Failure()
                 : failed("mounting memory");
    }
    if (!bind_mount(mount.source, path)) return failed("binding " + mount.source);
    if (mount.read_only && !make_read_only(path)) return failed("making it read-only");
    return {};
  }

  Failure make_target(const fs::path& path, bool folder) {
    if (fs::exists(path)) {
      if (fs::is_directory(path) == folder) return {};
      return std::string(folder ? "the mount path is not a folder on this machine"
                                : "the mount path is a folder on this machine");
    }
    const fs::path parent = nearest_parent(path);
    // In a volume, creates the path permanently, as container runtimes do.
    const bool in_volume = std::any_of(done_.begin(), done_.end(),
                                       [&](const fs::path& volume) { return is_under(parent, volume); });
    if (!folder && parent == "/dev" && make_file_in_memory(path)) return {};
    if (!in_volume && !is_in_memory(parent))
      if (Failure failure = move_to_memory(parent)) return failure;
    std::error_code error;
    fs::create_directories(folder ? path : path.parent_path(), error);
    if (error) return "making it: " + error.message();
    if (!folder && !make_file(path)) return failed("making it");
    return {};
  }

  /// Creates an empty file that will stay, if the folder on this machine is in memory anyway. The alternative
  /// would be to mount the hundred entries of /dev in each container, which takes milliseconds. Only root can
  /// create the file.
  static bool make_file_in_memory(const fs::path& path) {
    struct statfs info;
    constexpr long kMemory = 0x01021994;  // TMPFS_MAGIC in linux/magic.h; the same for devtmpfs
    return ::statfs(path.parent_path().c_str(), &info) == 0 && info.f_type == kMemory && make_file(path);
  }

  bool is_in_memory(const fs::path& folder) const {
    struct stat info {};
    return ::stat(folder.c_str(), &info) == 0 &&
           std::find(devices_.begin(), devices_.end(), info.st_dev) != devices_.end();
  }

  /// Covers the folder with a folder in memory that shows the same entries, and in which new ones can be
  /// created.
  Failure move_to_memory(const fs::path& folder) {
    if (folder != "/" && (folder == request_.working_folder || folder == request_.home))
      return fmt::format(
          "the folder does not exist, and {} must stay writable: create the folder first, or mount the "
          "volume elsewhere",
          folder.string());
    const fs::path& stage = request_.stage;
    struct stat original {
    }, info{};
    if (::stat(folder.c_str(), &original) != 0) return failed(folder.string());
    ::mkdir(stage.c_str(), 0700);
    if (::mount("kml", stage.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, "size=1m") != 0)
      return failed("mounting memory");
    ::stat(stage.c_str(), &info);
    devices_.push_back(info.st_dev);
    [[maybe_unused]] int ignored = ::chown(stage.c_str(), original.st_uid, original.st_gid);
    ::chmod(stage.c_str(), original.st_mode & 07777);
    if (Failure failure = show_entries(folder, stage)) return failure;
    if (folder == "/") {
      if (::chroot(stage.c_str()) != 0 || ::chdir("/") != 0) return failed("changing the root");
    } else if (!bind_mount(stage, folder)) {
      return failed("showing it");
    }
    trees_.push_back(folder);
    return {};
  }

  static Failure show_entries(const fs::path& folder, const fs::path& target) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      if (is_console(entry.path())) continue;
      if (!show_entry(entry, target / entry.path().filename()))
        return failed("showing " + entry.path().string());
    }
    if (error) return fmt::format("reading {}: {}", folder.string(), error.message());
    return {};
  }

  /// Shows an entry in the copy. Skips an entry that no longer exists, because other programs may have
  /// temporary files there.
  static bool show_entry(const fs::directory_entry& entry, const fs::path& copy) {
    std::error_code error;
    if (entry.is_symlink(error)) {
      const fs::path leads_to = fs::read_symlink(entry.path(), error);
      if (!error) fs::create_symlink(leads_to, copy, error);
      errno = error.value();
      return !error || error == std::errc::no_such_file_or_directory;
    }
    const bool made = entry.is_directory(error) ? ::mkdir(copy.c_str(), 0755) == 0 : make_file(copy);
    if (made && bind_mount(entry.path(), copy)) return true;
    if (!made || errno != ENOENT) return false;
    fs::remove(copy, error);
    return true;
  }

  const MountRequest& request_;
  std::vector<fs::path> done_;   ///< the volumes mounted so far
  std::vector<fs::path> trees_;  ///< the folders that are now in memory
  std::vector<dev_t> devices_;   ///< the file systems of these folders
};

}  // namespace

std::optional<std::string> map_own_ids(unsigned user, unsigned group) {
  // For users other than root, the kernel only allows mapping a group after the process has given up
  // setgroups().
  const bool mapped = write_proc("/proc/self/setgroups", "deny") &&
                      write_proc("/proc/self/uid_map", fmt::format("{} {} 1", user, user)) &&
                      write_proc("/proc/self/gid_map", fmt::format("{} {} 1", group, group));
  return mapped ? Failure() : failed("mapping the user's own id");
}

std::optional<std::string> enter_namespaces() {
  const auto make_private = [](const char* path) {
    return ::mount(nullptr, path, nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
  };
  if (!make_private("/")) {
    // In a plain chroot, the root is not a mount point. A bind mount of the root onto itself makes it one,
    // and "/.." leads to that mount.
    if (!bind_mount("/", "/") || ::chdir("/..") != 0 || ::chroot(".") != 0 || !make_private("/"))
      return failed("making the mounts private");
  }
  if (::mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) != 0)
    return failed("mounting /proc");
  return {};
}

std::optional<std::string> mount_volumes(const MountRequest& request) {
  return Mounter(request).run();
}

std::optional<std::string> check_mounts_without_namespace(std::span<const Mount> mounts) {
  for (const Mount& mount : mounts) {
    const bool already_there =
        mount.source.empty() ? mount.path == "/dev/shm" : mount.source == mount.path && !mount.read_only;
    if (!already_there)
      return fmt::format("cannot mount {} at {}: user and mount namespaces are not permitted on this machine",
                         mount.what, mount.path);
  }
  return {};
}

}  // namespace kml::local
