// The manual pages named below are those of macOS.

#include <crt_externs.h>
#include <errno.h>
#include <fcntl.h>
#include <mach-o/dyld.h>
#include <mach/mach.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/event.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <unistd.h>

#include <climits>
#include <string>
#include <utility>

#include "base/timespec.h"
#include "kml/base/error.h"
#include "kml/base/process.h"
#include "kml/base/system_calls.h"

namespace kml {

namespace {

/// These calls have no flag for close-on-exec, so a process that another thread starts in between may inherit
/// the descriptor.
Fd closed_on_exec(int file) {
  if (file >= 0) ::fcntl(file, F_SETFD, FD_CLOEXEC);
  return Fd(file);
}

/// Keeps SIGPIPE from ending the process when it writes to a socket that the peer has closed: setsockopt(2).
Fd prepared(Fd socket) {
  if (!socket) return socket;
  const int on = 1;
  ::fcntl(socket.get(), F_SETFL, ::fcntl(socket.get(), F_GETFL) | O_NONBLOCK);
  ::setsockopt(socket.get(), SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
  return socket;
}

}  // namespace

Pipe make_pipe() {
  int ends[2];
  if (::pipe(ends) != 0) return {};
  return {closed_on_exec(ends[0]), closed_on_exec(ends[1])};
}

Fd make_socket(int family) {
  return prepared(closed_on_exec(::socket(family, SOCK_STREAM, 0)));
}

Fd next_connection(int listener) {
  return prepared(closed_on_exec(::accept(listener, nullptr, nullptr)));
}

bool lacks_descriptors(int error) {
  return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

void notice_vanished_peer(int socket) {
  const auto option = [&](int level, int name, int value) {
    ::setsockopt(socket, level, name, &value, sizeof value);
  };
  option(SOL_SOCKET, SO_KEEPALIVE, 1);
  option(IPPROTO_TCP, TCP_KEEPALIVE, 30);
  option(IPPROTO_TCP, TCP_KEEPINTVL, 10);
  option(IPPROTO_TCP, TCP_KEEPCNT, 3);
  option(IPPROTO_TCP, TCP_RXT_CONNDROPTIME, 60);  // seconds
}

Time modification_time(const struct stat& file) {
  return Time(duration_of(file.st_mtimespec));
}

Time change_time(const struct stat& file) {
  return Time(duration_of(file.st_ctimespec));
}

Time file_clock() {
  return Time(read_clock(CLOCK_REALTIME));
}

/// fsync() may leave the content in the disk's cache, so F_FULLFSYNC is used, see fcntl(2). Some file
/// systems, such as SMB, do not support F_FULLFSYNC.
bool sync_content(int file) {
  return ::fcntl(file, F_FULLFSYNC) == 0 || ::fsync(file) == 0;
}

bool sync_file_system(int file) {
  return ::fsync_volume_np(file, SYNC_VOLUME_FULLSYNC | SYNC_VOLUME_WAIT) == 0 || sync_content(file);
}

bool keep_space(int, uint64_t) {
  errno = ENOTSUP;
  return false;
}

bool rename_to_free(const std::filesystem::path& from, const std::filesystem::path& to) {
  return ::renamex_np(from.c_str(), to.c_str(), RENAME_EXCL) == 0;
}

bool exchange_names(const std::filesystem::path& one, const std::filesystem::path& other) {
  return ::renamex_np(one.c_str(), other.c_str(), RENAME_SWAP) == 0;
}

bool is_on_local_disk(const std::filesystem::path& folder) {
  struct statfs system {};
  return ::statfs(folder.c_str(), &system) == 0 && (system.f_flags & MNT_LOCAL) != 0;
}

/// Opening /dev/fd/N yields a descriptor with the same mode, so only terminals can be opened again.
Fd open_again(int file) {
  char name[PATH_MAX];
  if (::ttyname_r(file, name, sizeof name) != 0) return {};
  return Fd(::open(name, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
}

Fd make_nameless(int /*folder*/) {
  errno = ENOTSUP;
  return {};
}

bool give_name(int /*file*/, int /*folder*/, const char* /*name*/) {
  errno = ENOTSUP;
  return false;
}

char** own_environment() {
  return *::_NSGetEnviron();
}

void close_from(int first) {
  const int end = ::getdtablesize();
  for (int file = first; file < end; ++file) ::close(file);
}

/// Leaves out the address space, which macOS does not limit, and most of which is never used: setrlimit(2).
MemoryUse memory_use() {
  mach_task_basic_info info{};
  mach_msg_type_number_t count = MACH_TASK_BASIC_INFO_COUNT;
  const auto into = reinterpret_cast<task_info_t>(&info);
  if (::task_info(::mach_task_self(), MACH_TASK_BASIC_INFO, into, &count) != KERN_SUCCESS) return {};
  return {0, info.resident_size};
}

/// This clock continues while the machine sleeps: clock_gettime(3).
nanoseconds time_since_boot() {
  return read_clock(CLOCK_MONOTONIC);
}

/// A kqueue with a single event, NOTE_EXIT, see kqueue(2).
Fd open_process(pid_t pid) {
  Fd queue = closed_on_exec(::kqueue());
  struct kevent end {};
  EV_SET(&end, static_cast<uintptr_t>(pid), EVFILT_PROC, EV_ADD | EV_ONESHOT, NOTE_EXIT, 0, nullptr);
  if (!queue || ::kevent(queue.get(), &end, 1, nullptr, 0, nullptr) != 0) return {};
  return queue;
}

std::filesystem::path own_executable() {
  char path[PATH_MAX];
  uint32_t size = sizeof path;
  if (::_NSGetExecutablePath(path, &size) != 0)
    throw system_error("cannot find kml's own program", ENAMETOOLONG);
  return std::filesystem::canonical(path);
}

}  // namespace kml
