#include "step/record/path_calls.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <sched.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>

// Calls that are newer than the headers of the machine that builds kml-step. Their numbers are the same on
// all processors.
#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif

namespace kml::step {

namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kProcessor = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kProcessor = AUDIT_ARCH_AARCH64;
#else
#error "unknown processor"
#endif

/// The first number that was unused in Linux 6.12, and so the first one that this file does not know.
constexpr int kFirstUnknown = 463;

using Also = PathCall::Also;

const PathCall kCalls[] = {
    {SYS_openat, {0, 1, Use::open}, {}, 2},
    {SYS_openat2, {0, 1, Use::open}},
    {SYS_newfstatat, {0, 1, Use::look}, {}, 3},
    {SYS_statx, {0, 1, Use::look}, {}, 2},
    {SYS_faccessat, {0, 1, Use::look}},
    {SYS_faccessat2, {0, 1, Use::look}, {}, 3},
    {SYS_readlinkat, {0, 1, Use::look_at_end}},
    {SYS_getdents64, {}, {}, -1, Also::list},
    {SYS_execve, {-1, 0, Use::execute}},
    {SYS_execveat, {0, 1, Use::execute}, {}, 4},
    {SYS_chdir, {-1, 0, Use::look}},
    {SYS_statfs, {-1, 0, Use::look}},
    {SYS_getxattr, {-1, 0, Use::look}},
    {SYS_lgetxattr, {-1, 0, Use::look_at_end}},
    {SYS_listxattr, {-1, 0, Use::look}},
    {SYS_llistxattr, {-1, 0, Use::look_at_end}},
    {SYS_inotify_add_watch, {-1, 1, Use::look}},
    {SYS_name_to_handle_at, {0, 1, Use::look}},
    {SYS_truncate, {-1, 0, Use::write}},
    {SYS_fchmodat, {0, 1, Use::write}},
    {SYS_fchmodat2, {0, 1, Use::write}, {}, 3},
    {SYS_fchownat, {0, 1, Use::write}, {}, 4},
    {SYS_utimensat, {0, 1, Use::write}, {}, 3},
    {SYS_setxattr, {-1, 0, Use::write}},
    {SYS_lsetxattr, {-1, 0, Use::write}},
    {SYS_removexattr, {-1, 0, Use::write}},
    {SYS_lremovexattr, {-1, 0, Use::write}},
    {SYS_mkdirat, {0, 1, Use::make_folder}},
    {SYS_mknodat, {0, 1, Use::make}},
    {SYS_symlinkat, {1, 2, Use::make}},
    {SYS_linkat, {0, 1, Use::look}, {2, 3, Use::make}},
    {SYS_unlinkat, {0, 1, Use::remove}, {}, 2},
    {SYS_renameat2, {0, 1, Use::rename}, {2, 3, Use::replace}, 4},
#ifdef SYS_renameat
    {SYS_renameat, {0, 1, Use::rename}, {2, 3, Use::replace}},
#endif
#ifdef SYS_open  // the calls of x86 from before Linux 2.6.16
    {SYS_open, {-1, 0, Use::open}, {}, 1},
    {SYS_creat, {-1, 0, Use::open}},
    {SYS_stat, {-1, 0, Use::look}},
    {SYS_lstat, {-1, 0, Use::look_at_end}},
    {SYS_access, {-1, 0, Use::look}},
    {SYS_readlink, {-1, 0, Use::look_at_end}},
    {SYS_getdents, {}, {}, -1, Also::list},
    {SYS_chmod, {-1, 0, Use::write}},
    {SYS_chown, {-1, 0, Use::write}},
    {SYS_lchown, {-1, 0, Use::write}},
    {SYS_utime, {-1, 0, Use::write}},
    {SYS_utimes, {-1, 0, Use::write}},
    {SYS_futimesat, {0, 1, Use::write}},
    {SYS_mkdir, {-1, 0, Use::make_folder}},
    {SYS_mknod, {-1, 0, Use::make}},
    {SYS_symlink, {-1, 1, Use::make}},
    {SYS_link, {-1, 0, Use::look_at_end}, {-1, 1, Use::make}},
    {SYS_unlink, {-1, 0, Use::remove}},
    {SYS_rmdir, {-1, 0, Use::remove_folder}},
    {SYS_rename, {-1, 0, Use::rename}, {-1, 1, Use::replace}},
#endif
    // After such a call, a path may mean something else to the program than to the recorder.
    {SYS_chroot, {}, {}, -1, Also::escape},
    {SYS_pivot_root, {}, {}, -1, Also::escape},
    {SYS_setns, {}, {}, -1, Also::escape},
    {SYS_mount, {}, {}, -1, Also::escape},
    {SYS_move_mount, {}, {}, -1, Also::escape},
    {SYS_open_by_handle_at, {}, {}, -1, Also::escape},
    {SYS_unshare, {}, {}, -1, Also::clone},
    {SYS_clone3, {}, {}, -1, Also::clone3},
};

const PathCall kClone = {SYS_clone, {}, {}, -1, Also::clone};

constexpr FilterLine load(size_t offset) {
  return {BPF_LD | BPF_W | BPF_ABS, 0, 0, static_cast<std::uint32_t>(offset)};
}

constexpr FilterLine jump(std::uint16_t kind, std::uint32_t value, std::uint8_t if_true,
                          std::uint8_t if_false) {
  return {static_cast<std::uint16_t>(BPF_JMP | kind | BPF_K), if_true, if_false, value};
}

constexpr FilterLine end(std::uint32_t action) {
  return {BPF_RET | BPF_K, 0, 0, action};
}

}  // namespace

const PathCall* path_call(int number) {
  if (number == kClone.number) return &kClone;
  for (const PathCall& call : kCalls)
    if (call.number == number) return &call;
  return nullptr;
}

bool is_native(const seccomp_data& data) {
  constexpr int kX32 = 0x40000000;
  return data.arch == kProcessor && data.nr < kX32;
}

std::vector<FilterLine> recording_filter() {
  std::vector<FilterLine> lines = {
      load(offsetof(seccomp_data, arch)),
      jump(BPF_JEQ, kProcessor, 1, 0),
      end(SECCOMP_RET_USER_NOTIF),
      load(offsetof(seccomp_data, nr)),
      jump(BPF_JEQ, SYS_io_uring_setup, 0, 1),
      end(SECCOMP_RET_ERRNO | ENOSYS),
      // Threads are created often, so only a clone() that takes new mounts is stopped.
      jump(BPF_JEQ, SYS_clone, 0, 4),
      load(offsetof(seccomp_data, args[0])),
      jump(BPF_JSET, CLONE_NEWNS, 0, 1),
      end(SECCOMP_RET_USER_NOTIF),
      end(SECCOMP_RET_ALLOW),
      jump(BPF_JGE, kFirstUnknown, 0, 1),
      end(SECCOMP_RET_USER_NOTIF),
  };
  size_t left = std::size(kCalls);
  for (const PathCall& call : kCalls)
    lines.push_back(
        jump(BPF_JEQ, static_cast<std::uint32_t>(call.number), static_cast<std::uint8_t>(left--), 0));
  lines.push_back(end(SECCOMP_RET_ALLOW));
  lines.push_back(end(SECCOMP_RET_USER_NOTIF));
  return lines;
}

}  // namespace kml::step
