#include "pod/sync/tree_watch.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <utility>

#include "kml/base/error.h"
#include "pod/copy/common.h"

namespace kml::pod {

namespace {

constexpr unsigned kChanged = IN_CLOSE_WRITE | IN_MODIFY | IN_ATTRIB | IN_CREATE | IN_DELETE | IN_MOVED_FROM |
                              IN_MOVED_TO | IN_ONLYDIR | IN_DONT_FOLLOW | IN_EXCL_UNLINK;

Fd new_inotify() {
  Fd fd(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!fd) {
    Error error = system_error("cannot watch files", errno);
    error.fix = "raise the limit: sysctl fs.inotify.max_user_instances=1024";
    throw error;
  }
  return fd;
}

}  // namespace

TreeWatch::TreeWatch(std::filesystem::path root) : root_(std::move(root)), queue_(new_inotify()) {}

void TreeWatch::cover(const std::vector<std::string>& folders) {
  for (const std::string& folder : folders) {
    const std::filesystem::path place = folder.empty() ? root_ : root_ / folder;
    const int watch = ::inotify_add_watch(queue_.get(), place.c_str(), kChanged);
    if (watch >= 0) {
      folders_[watch] = folder;
    } else if (errno == ENOSPC) {
      Error error = system_error("cannot watch " + std::to_string(folders.size()) + " folders", errno);
      error.why = "the machine's limit is too low";
      error.fix =
          "raise it: sysctl fs.inotify.max_user_watches=524288; or let git ignore folders without code";
      throw error;
    } else if (errno != ENOENT && errno != ENOTDIR) {  // the folder was not removed in the meantime
      throw system_error("cannot watch " + place.string(), errno);
    }
  }
}

void TreeWatch::forget() {
  queue_ = new_inotify();
  folders_.clear();
}

TreeWatch::Changes TreeWatch::take() {
  Changes changes;
  bool is_stale = false;
  alignas(inotify_event) char buffer[64 << 10];
  ssize_t size = 0;
  while ((size = ::read(queue_.get(), buffer, sizeof buffer)) > 0)
    for (ssize_t at = 0; at < size;) {
      const auto* event = reinterpret_cast<const inotify_event*>(buffer + at);
      at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
      const auto folder = folders_.find(event->wd);
      is_stale |= (event->mask & IN_Q_OVERFLOW) != 0;
      if (folder == folders_.end()) continue;
      if ((event->mask & IN_ISDIR) != 0) {
        changes.has_new_folders |= (event->mask & (IN_CREATE | IN_MOVED_TO)) != 0;
        is_stale |= (event->mask & (IN_MOVED_FROM | IN_MOVED_TO)) != 0;
      }
      if (event->len > 0) changes.names.insert(joined_path(folder->second, event->name));
      if ((event->mask & IN_IGNORED) != 0) folders_.erase(folder);
    }
  if (is_stale) {
    forget();
    changes.has_new_folders = true;
  }
  return changes;
}

}  // namespace kml::pod
