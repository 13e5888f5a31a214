#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <string>

#include "base/timespec.h"
#include "kml/base/process.h"
#include "kml/base/system_calls.h"

namespace kml {

namespace {

std::string path_of(int file) {
  return "/proc/self/fd/" + std::to_string(file);
}

}  // namespace

Pipe make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return {};
  return {Fd(ends[0]), Fd(ends[1])};
}

Fd make_socket(int family) {
  return Fd(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

Fd next_connection(int listener) {
  return Fd(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
}

bool lacks_descriptors(int error) {
  return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

void notice_vanished_peer(int socket) {
  const auto option = [&](int level, int name, int value) {
    ::setsockopt(socket, level, name, &value, sizeof value);
  };
  option(SOL_SOCKET, SO_KEEPALIVE, 1);
  option(IPPROTO_TCP, TCP_KEEPIDLE, 30);
  option(IPPROTO_TCP, TCP_KEEPINTVL, 10);
  option(IPPROTO_TCP, TCP_KEEPCNT, 3);
  option(IPPROTO_TCP, TCP_USER_TIMEOUT, 60'000);
}

Time modification_time(const struct stat& file) {
  return Time(duration_of(file.st_mtim));
}

Time change_time(const struct stat& file) {
  return Time(duration_of(file.st_ctim));
}

Time file_clock() {
  return Time(read_clock(CLOCK_REALTIME_COARSE));
}

bool sync_content(int file) {
  return ::fdatasync(file) == 0;
}

bool sync_file_system(int file) {
  return ::syncfs(file) == 0;
}

bool keep_space(int file, uint64_t bytes) {
  return ::fallocate(file, FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(bytes)) == 0;
}

bool rename_to_free(const std::filesystem::path& from, const std::filesystem::path& to) {
  return ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0;
}

bool exchange_names(const std::filesystem::path& one, const std::filesystem::path& other) {
  return ::renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE) == 0;
}

/// The numbers are those of statfs(2); <linux/magic.h> lacks the one of ZFS.
bool is_on_local_disk(const std::filesystem::path& folder) {
  constexpr unsigned kZfs = 0x2fc12fc1;
  struct statfs system {};
  if (::statfs(folder.c_str(), &system) != 0) return false;
  switch (static_cast<unsigned>(system.f_type)) {
    case EXT4_SUPER_MAGIC:  // ext2 and ext3 have the same
    case XFS_SUPER_MAGIC:
    case BTRFS_SUPER_MAGIC:
    case F2FS_SUPER_MAGIC:
    case OVERLAYFS_SUPER_MAGIC:  // of a container
    case TMPFS_MAGIC:
    case kZfs: return true;
    default: return false;
  }
}

Fd open_again(int file) {
  return Fd(::open(path_of(file).c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
}

Fd make_nameless(int folder) {
  return Fd(::openat(folder, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600));
}

bool give_name(int file, int folder, const char* name) {
  return ::linkat(AT_FDCWD, path_of(file).c_str(), folder, name, AT_SYMLINK_FOLLOW) == 0;
}

char** own_environment() {
  return environ;
}

void close_from(int first) {
  ::syscall(SYS_close_range, first, ~0U, 0);
}

/// proc(5), /proc/pid/statm: both sizes in pages.
MemoryUse memory_use() {
  const Fd file(::open("/proc/self/statm", O_RDONLY | O_CLOEXEC));
  char text[64] = {};
  if (!file || ::read(file.get(), text, sizeof text - 1) <= 0) return {};
  size_t space = 0, resident = 0;
  if (::sscanf(text, "%zu %zu", &space, &resident) != 2) return {};
  const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  return {space * page, resident * page};
}

nanoseconds time_since_boot() {
  return read_clock(CLOCK_BOOTTIME);
}

Fd open_process(pid_t pid) {
  return Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

std::filesystem::path own_executable() {
  return std::filesystem::read_symlink("/proc/self/exe");
}

}  // namespace kml
