#include <fcntl.h>
#include <sys/event.h>

#include <cerrno>
#include <ctime>
#include <utility>

#include "kml/base/error.h"
#include "pod/sync/tree_watch.h"

namespace kml::pod {

namespace {

constexpr unsigned kChanged = NOTE_WRITE | NOTE_EXTEND | NOTE_DELETE | NOTE_RENAME;

Fd new_queue() {
  Fd queue(::kqueue());
  if (!queue) throw system_error("cannot watch files", errno);
  ::fcntl(queue.get(), F_SETFD, FD_CLOEXEC);
  return queue;
}

}  // namespace

TreeWatch::TreeWatch(std::filesystem::path root) : root_(std::move(root)), queue_(new_queue()) {}

void TreeWatch::cover(const std::vector<std::string>& folders) {
  forget();
  for (const std::string& folder : folders) {
    const std::filesystem::path place = folder.empty() ? root_ : root_ / folder;
    Fd opened(::open(place.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct kevent event {};
    EV_SET(&event, static_cast<uintptr_t>(opened.get()), EVFILT_VNODE, EV_ADD | EV_CLEAR, kChanged, 0,
           nullptr);
    if (opened && ::kevent(queue_.get(), &event, 1, nullptr, 0, nullptr) == 0) {
      folders_[opened.get()] = folder;
      opened_.push_back(std::move(opened));
    } else if (errno == EMFILE) {
      Error error = system_error("cannot watch " + std::to_string(folders.size()) + " folders", errno);
      error.fix = "raise the limit: ulimit -n 10000; or let git ignore folders without code";
      throw error;
    } else if (errno != ENOENT && errno != ENOTDIR) {  // the folder was not removed in the meantime
      throw system_error("cannot watch " + place.string(), errno);
    }
  }
}

void TreeWatch::forget() {
  queue_ = new_queue();
  folders_.clear();
  opened_.clear();
}

/// The names of the files are unknown, so the caller lists the folders again.
TreeWatch::Changes TreeWatch::take() {
  Changes changes;
  const timespec now{};
  struct kevent event {};
  while (::kevent(queue_.get(), nullptr, 0, &event, 1, &now) == 1) changes.has_new_folders = true;
  return changes;
}

}  // namespace kml::pod
