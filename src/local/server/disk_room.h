#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "local/loop/event_loop.h"
#include "local/store/store.h"

namespace kml::local {

/// Checks whether the disk with the state folder has space. If it has too little, the server warns its
/// clients, which would otherwise wait for changes that cannot be written. A full disk is recognized by its
/// free space before a write fails, and an exhausted quota only when a write fails. Checks only on request,
/// and once a second while a client waits or the disk is full, so that an idle server does no work.
class DiskRoom {
 public:
  /// `is_awaited` returns whether a client is waiting for changes.
  DiskRoom(EventLoop& loop, const Store& store, std::filesystem::path folder,
           std::function<bool()> is_awaited);

  /// In one sentence, what is full, what that means, and how to free space; empty if there is enough space.
  const std::string& problem();
  /// Sets a callback that is called when space runs out, and when there is enough space again.
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
