#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "local/loop/event_loop.h"
#include "local/store/store.h"

namespace kml::local {

/// Checks whether the disk of the state folder has space. If it has too little, the server warns its clients,
/// which would otherwise wait for news that cannot be written. The free space shows that the disk is full
/// before a write fails. A used-up disk quota only shows when a write fails. Checks on request. Also checks
/// once a second, but only while a client waits or the disk is full, so that an idle server does nothing.
class DiskRoom {
 public:
  /// `is_awaited` returns whether a client waits for news.
  DiskRoom(EventLoop& loop, const Store& store, std::filesystem::path folder,
           std::function<bool()> is_awaited);

  /// A sentence that says what is full, what that means, and how to free space; empty if there is space.
  const std::string& problem();
  /// Sets a callback for when the problem has appeared or been solved.
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
