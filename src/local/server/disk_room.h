#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "local/loop/event_loop.h"
#include "local/store/store.h"

namespace kml::local {

/// Whether the disk of the state folder has room: what has too little tells its clients, who would wait in
/// vain for what cannot be written. The space that is left says it before a write fails; of a quota only a
/// write that failed does. It looks when it is asked, and each second only while somebody waits or the disk
/// is full: a server at rest does nothing.
class DiskRoom {
 public:
  /// `is_awaited` says whether a client waits for news.
  DiskRoom(EventLoop& loop, const Store& store, std::filesystem::path folder,
           std::function<bool()> is_awaited);

  /// A sentence on what is full, what that means and how to make room; empty if there is room.
  const std::string& problem();
  /// Called after the problem has come or gone.
  void on_change(std::function<void()> changed) { changed_ = std::move(changed); }

 private:
  void look();
  void look_later();
  bool is_full();

  EventLoop& loop_;
  const Store& store_;
  std::filesystem::path folder_;
  std::function<bool()> is_awaited_;
  std::function<void()> changed_ = [] {};
  bool will_look_ = false;
  std::string problem_;
  uint64_t seen_refusals_ = 0;
  EventLoop::SteadyTime full_until_{};
};

}  // namespace kml::local
