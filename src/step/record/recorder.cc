#include "step/record/recorder.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "step/record/module_path.h"
#include "step/say.h"

// These flags exist since Linux 6.6 and 5.19; older kernels reject them.
#ifndef SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP
#define SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP 1
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS SECCOMP_IOW(4, __u64)
#endif
#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

namespace kml::step {

namespace {

long install(unsigned long flags, std::vector<FilterLine>& lines) {
  static_assert(sizeof(FilterLine) == sizeof(sock_filter));
  const sock_fprog program{static_cast<unsigned short>(lines.size()),
                           reinterpret_cast<sock_filter*>(lines.data())};
  return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER | flags, &program);
}

/// Returns the listener, or a negative errno.
int install_filter() {
  std::vector<FilterLine> lines = recording_filter();
  long listener = install(SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, lines);
  // Without root's rights, the kernel requires that the programs can no longer gain rights.
  if (listener < 0 && errno == EACCES) {
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    listener = install(SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, lines);
  }
  if (listener < 0 && errno == EINVAL) listener = install(0, lines);
  return listener < 0 ? -errno : static_cast<int>(listener);
}

std::string in_proc(int thread, const std::string& what) {
  return "/proc/" + std::to_string(thread) + "/" + what;
}

int number_in(const seccomp_notif& call, int argument) {
  return static_cast<int>(call.data.args[argument]);
}

}  // namespace

Recorder::Recorder(Recording recording) : recording_(std::move(recording)) {
  // otherwise a program whose parent has ended could not be read (Yama's ptrace_scope)
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel_) != 0)
    give_up_by_errno("cannot begin to record");
  if (!mounts_.find(recording_.folder)) record_.give_up("/proc/self/mountinfo cannot be read");
}

void Recorder::begin() const {
  const int listener = install_filter();
  char answer = 0;
  ::send(channel_[1], &listener, sizeof listener, MSG_NOSIGNAL);
  ::recv(channel_[1], &answer, 1, 0);
}

void Recorder::adopt(pid_t child) {
  ::close(channel_[1]);
  int listener = -ECHILD;
  if (::recv(channel_[0], &listener, sizeof listener, 0) != sizeof listener) listener = -ECHILD;
  if (listener >= 0) {
    seccomp_notif_sizes sizes{};
    const auto process = static_cast<int>(::syscall(SYS_pidfd_open, child, 0));
    listener_ = static_cast<int>(::syscall(SYS_pidfd_getfd, process, listener, 0));
    if (listener_ < 0 || ::syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes) != 0) {
      ::kill(child, SIGKILL);  // otherwise, the child's calls would wait forever
      give_up_by_errno("cannot record what the command reads");
    }
    ::close(process);
    call_.resize(std::max<size_t>(sizes.seccomp_notif, sizeof(seccomp_notif)));
    answer_.resize(std::max<size_t>(sizes.seccomp_notif_resp, sizeof(seccomp_notif_resp)));
    ::ioctl(listener_, SECCOMP_IOCTL_NOTIF_SET_FLAGS, SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP);
  } else {
    record_.give_up(std::string("seccomp: ") + std::strerror(-listener));
  }
  ::send(channel_[0], "", 1, MSG_NOSIGNAL);
  ::close(channel_[0]);
}

void Recorder::serve(const sigset_t& signals) {
  if (signals_ < 0) signals_ = ::signalfd(-1, &signals, SFD_CLOEXEC);
  pollfd ready[] = {{signals_, POLLIN, 0}, {listener_, POLLIN, 0}};
  for (;;) {
    if (::poll(ready, 2, -1) < 0) continue;
    if (ready[1].revents & POLLIN) take_one();
    if (ready[1].revents & (POLLHUP | POLLERR)) ready[1].fd = -1;  // all programs have ended
    if (ready[0].revents & POLLIN) return;
  }
}

void Recorder::take_one() {
  auto& call = *reinterpret_cast<seccomp_notif*>(call_.data());
  auto& answer = *reinterpret_cast<seccomp_notif_resp*>(answer_.data());
  std::fill(call_.begin(), call_.end(), '\0');
  std::fill(answer_.begin(), answer_.end(), '\0');
  if (::ioctl(listener_, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0) return;  // the program was killed
  note(call);
  answer.id = call.id;
  answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  ::ioctl(listener_, SECCOMP_IOCTL_NOTIF_SEND, &answer);
}

void Recorder::note(const seccomp_notif& call) {
  if (!is_native(call.data)) return record_.give_up("it ran a 32-bit program");
  const PathCall* kind = path_call(call.data.nr);
  if (!kind) return record_.give_up("it made the unknown system call " + std::to_string(call.data.nr));
  const auto thread = static_cast<int>(call.pid);
  switch (kind->also) {
    case PathCall::Also::list: return note_list(thread, number_in(call, 0));
    case PathCall::Also::escape: return record_.give_up("it changed its mounts or its root");
    case PathCall::Also::clone:
    case PathCall::Also::clone3: {
      unsigned long long flags = call.data.args[0];
      const bool is_known =
          kind->also == PathCall::Also::clone || read_bytes(thread, call.data.args[0], &flags, sizeof flags);
      if (!is_known || (flags & CLONE_NEWNS)) record_.give_up("it changed its mounts or its root");
      return;
    }
    case PathCall::Also::nothing: break;
  }
  for (const PathArgument& argument : {kind->first, kind->second})
    if (argument.path >= 0) note_path(call, *kind, argument);
}

void Recorder::note_path(const seccomp_notif& call, const PathCall& kind, const PathArgument& argument) {
  const auto thread = static_cast<int>(call.pid);
  const unsigned long long address = call.data.args[argument.path];
  std::string path, folder;
  unsigned flags = 0;
  const bool is_read = address == 0 || read_text(thread, address, path);
  // An empty path stands for a descriptor, which another call has opened. Without a descriptor, the call
  // fails.
  if (is_read && path.empty()) return;
  if (!is_read || !flags_of(call, kind, flags) || !folder_of_call(call, argument, path, folder)) {
    if (::ioctl(listener_, SECCOMP_IOCTL_NOTIF_ID_VALID, &call.id) == 0)
      record_.give_up("a path of a system call could not be read");
    return;
  }
  const bool is_open = argument.use == Use::open;
  const bool is_at_end = argument.use == Use::look_at_end || argument.use >= Use::make;
  constexpr unsigned kNew = O_CREAT | O_EXCL;
  const bool follows = is_open ? !(flags & O_NOFOLLOW) && (flags & kNew) != kNew
                               : !is_at_end && !(flags & AT_SYMLINK_NOFOLLOW);
  note_lookup(thread, path, is_open && (flags & O_DIRECTORY));
  std::vector<std::string> links;
  const std::string place = paths_.real(thread, folder, path, follows, links);
  for (const std::string& link : links) look(link);
  note_use(thread, argument.use, flags, place);
}

void Recorder::note_lookup(int thread, const std::string& path, bool opens_folder) {
  if (!opens_folder) return settle(imports_.look(thread, path));
  struct stat at {};
  if (imports_.is_after_look(thread, path)) ::stat(path.c_str(), &at);
  settle(imports_.open(thread, path, {at.st_mtim.tv_sec, at.st_mtim.tv_nsec}));
}

/// The flags of open(2), or those that begin with AT_ or RENAME_. Returns false if they cannot be read.
bool Recorder::flags_of(const seccomp_notif& call, const PathCall& kind, unsigned& flags) {
  flags = kind.flags < 0 ? 0 : static_cast<unsigned>(call.data.args[kind.flags]);
#ifdef SYS_creat
  if (kind.number == SYS_creat) flags = O_WRONLY | O_CREAT | O_TRUNC;
#endif
  if (kind.number != SYS_openat2) return true;
  struct {
    unsigned long long flags, mode, resolve;
  } how{};
  if (!read_bytes(static_cast<int>(call.pid), call.data.args[2], &how, sizeof how)) return false;
  constexpr unsigned long long kInRoot = 0x10;  // RESOLVE_IN_ROOT
  if (how.resolve & kInRoot) record_.give_up("it opened files below another root");
  flags = static_cast<unsigned>(how.flags);
  return true;
}

/// The folder to which the path is relative. Returns false if it cannot be determined.
bool Recorder::folder_of_call(const seccomp_notif& call, const PathArgument& argument,
                              const std::string& path, std::string& folder) const {
  if (path.front() == '/') return true;
  const auto thread = static_cast<int>(call.pid);
  const int descriptor = argument.folder < 0 ? AT_FDCWD : number_in(call, argument.folder);
  folder = link_target(in_proc(thread, descriptor == AT_FDCWD ? "cwd" : "fd/" + std::to_string(descriptor)));
  // The call fails if the descriptor is not a folder.
  return folder.starts_with('/') || descriptor != AT_FDCWD;
}

void Recorder::look(const std::string& place) {
  if (const std::string name = mounts_.name_of(place); !name.empty()) record_.look(name, seen_at(place));
}

void Recorder::note_use(int thread, Use use, unsigned flags, const std::string& place) {
  if (use >= Use::make) paths_.forget();
  if (use == Use::execute) note_interpreter(thread, place, 0);
  const std::string name = mounts_.name_of(place);
  if (name.empty()) return;
  const PathSeen seen = seen_at(place);
  const bool is_missing = seen.kind == PathKind::missing,
             may_create = use == Use::make || use == Use::make_folder || use == Use::replace ||
                          (use == Use::open && (flags & O_CREAT));
  if (is_missing && may_create) note_folder_above(place);
  switch (use) {
    case Use::look:
    case Use::look_at_end: return record_.ask(name, seen);
    case Use::execute: return record_.look(name, seen);
    case Use::open: return note_open(name, flags, seen);
    case Use::write: record_.test(name, seen); return is_missing ? void() : record_.write(name, seen);
    case Use::make: return record_.create(name, seen);
    case Use::make_folder: return record_.make_folder(name, seen);
    case Use::remove:
      return flags & AT_REMOVEDIR ? note_remove_folder(name, seen) : record_.remove(name, seen);
    case Use::remove_folder: return note_remove_folder(name, seen);
    case Use::rename: return record_.rename(name, seen);
    case Use::replace: return note_replace(name, flags, seen);
  }
}

/// A call that creates an entry also depends on the folder above.
void Recorder::note_folder_above(const std::string& place) {
  const std::string above = place.substr(0, place.rfind('/'));
  const std::string name = mounts_.name_of(above);
  if (!name.empty() && name != ".") record_.test(name, seen_at(above));
}

/// A call that removes a folder depends on whether the folder is empty.
void Recorder::note_remove_folder(const std::string& name, PathSeen seen) {
  if (seen.kind == PathKind::folder) record_.list(name, false, [&] { return entries_of(name); });
  record_.remove(name, seen);
}

void Recorder::note_replace(const std::string& name, unsigned flags, PathSeen seen) {
  if (flags & RENAME_NOREPLACE) record_.test(name, seen);
  if (flags & RENAME_EXCHANGE) record_.look(name, seen);
  record_.replace(name, seen);
}

void Recorder::note_open(const std::string& name, unsigned flags, PathSeen seen) {
  const bool is_missing = seen.kind == PathKind::missing, may_create = (flags & O_CREAT) != 0,
             must_create = may_create && (flags & O_EXCL),
             reads = (flags & O_ACCMODE) != O_WRONLY || (flags & O_PATH),
             empties = (flags & O_TRUNC) && seen.kind == PathKind::file;
  const bool depends_on_it = is_missing ? !may_create || (reads && !must_create && !(flags & O_TRUNC))
                                        : must_create || (reads && !empties);
  if (depends_on_it)
    record_.look(name, seen);
  else if (!may_create || must_create)
    record_.test(name, seen);
  if (is_missing ? may_create : empties)
    record_.make(name, seen);
  else if (!is_missing && (flags & O_ACCMODE) != O_RDONLY)
    record_.write(name, seen);
}

/// The kernel opens the interpreter of a script, or the loader of a program, without a call.
void Recorder::note_interpreter(int thread, const std::string& program, int depth) {
  constexpr int kMostInterpreters = 5;  // the same limit as in the kernel's exec_binprm()
  const std::string path = interpreter_of(program);
  if (path.empty() || depth == kMostInterpreters) return;
  std::vector<std::string> links;
  const std::string place = paths_.real(thread, link_target(in_proc(thread, "cwd")), path, true, links);
  for (const std::string& link : links) look(link);
  look(place);
  note_interpreter(thread, place, depth + 1);
}

void Recorder::note_list(int thread, int descriptor) {
  const std::string path = link_target(in_proc(thread, "fd/" + std::to_string(descriptor)));
  const std::string name = mounts_.name_of(path);
  if (name.empty()) return;
  const bool may_be_import = imports_.list(thread, path, name, [&] { return module_path_of(thread); });
  record_.list(name, may_be_import, [&] { return entries_of(name); });
}

void Recorder::settle(const std::optional<ImportListings::Outcome>& outcome) {
  if (outcome && !outcome->is_of_imports)
    record_.list(outcome->folder, false, [] { return ReadRecord::Entries(); });
}

ReadRecord::Entries Recorder::entries_of(const std::string& name) const {
  ReadRecord::Entries entries;
  const std::string place = name == "." ? recording_.folder : recording_.folder + "/" + name;
  DIR* names = ::opendir(place.c_str());
  if (!names) return entries;
  while (const dirent* each = ::readdir(names)) {
    const std::string entry = each->d_name;
    if (entry != "." && entry != "..") entries.emplace_back(entry, seen_at(place + "/" + entry));
  }
  ::closedir(names);
  return entries;
}

PathSeen Recorder::seen_at(const std::string& place) const {
  struct stat at {};
  if (::lstat(place.c_str(), &at) != 0)
    return {errno == ENOENT || errno == ENOTDIR ? PathKind::missing : PathKind::other};
  const timespec& since = recording_.since;
  const bool is_new = at.st_ctim.tv_sec != since.tv_sec ? at.st_ctim.tv_sec > since.tv_sec
                                                        : at.st_ctim.tv_nsec >= since.tv_nsec;
  const unsigned mode = at.st_mode & ~static_cast<unsigned>(S_IFMT);
  switch (at.st_mode & S_IFMT) {
    case S_IFREG: return {PathKind::file, is_new, mode};
    case S_IFDIR: return {PathKind::folder, is_new, mode};
    case S_IFLNK: return {PathKind::link, is_new};
    default: return {PathKind::other, is_new};
  }
}

void Recorder::finish() {
  pollfd ready{listener_, POLLIN, 0};
  while (listener_ >= 0 && ::poll(&ready, 1, 0) > 0 && (ready.revents & POLLIN)) take_one();
  for (const std::string& folder : imports_.rest()) settle(ImportListings::Outcome{folder, false});
  const int fd = ::open(recording_.file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return;
  write_all(fd, record_.text());
  ::close(fd);
}

}  // namespace kml::step
