#include "local/loop/folder_watch.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <cerrno>
#include <set>

#include "kml/base/error.h"

namespace kml::local {

FolderWatch::FolderWatch(EventLoop& loop, std::string file, std::function<void(const std::string&)> written)
    : loop_(loop),
      inotify_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)),
      file_(std::move(file)),
      written_(std::move(written)) {
  if (!inotify_)
    throw system_error(
        "cannot watch the pods' folders", errno,
        "raise fs.inotify.max_user_instances (sysctl), or stop programs that use many instances");
  loop_.watch(inotify_.get(), EPOLLIN, [this](uint32_t) { read(); });
}

FolderWatch::~FolderWatch() {
  loop_.forget(inotify_.get());
}

void FolderWatch::add(const std::filesystem::path& folder, const std::string& key) {
  const int watch = ::inotify_add_watch(inotify_.get(), folder.c_str(), IN_MODIFY);
  if (watch < 0)
    throw system_error("cannot watch " + folder.string(), errno,
                       "if many files are already watched, raise fs.inotify.max_user_watches");
  keys_[watch] = key;
  watches_[key] = watch;
}

void FolderWatch::remove(const std::string& key) {
  auto it = watches_.find(key);
  if (it == watches_.end()) return;
  ::inotify_rm_watch(inotify_.get(), it->second);
  keys_.erase(it->second);
  watches_.erase(it);
}

void FolderWatch::read() {
  alignas(inotify_event) char buffer[1 << 14];
  std::set<std::string> keys;
  ssize_t got;
  while ((got = ::read(inotify_.get(), buffer, sizeof buffer)) > 0) {
    for (char* at = buffer; at < buffer + got;) {
      const auto* event = reinterpret_cast<const inotify_event*>(at);
      auto it = keys_.find(event->wd);
      if (it != keys_.end() && event->len > 0 && file_ == event->name) keys.insert(it->second);
      at += sizeof(inotify_event) + event->len;
    }
  }
  for (const std::string& key : keys) written_(key);
}

}  // namespace kml::local
