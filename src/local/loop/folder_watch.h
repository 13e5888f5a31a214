#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <unordered_map>

#include "local/loop/event_loop.h"

namespace kml::local {

/// Tells when a file in one of several folders was replaced (inotify: one descriptor for all of them).
class FolderWatch {
 public:
  /// `replaced` gets the key that the folder was added with.
  FolderWatch(EventLoop& loop, std::function<void(const std::string& key)> replaced);
  ~FolderWatch();

  void add(const std::filesystem::path& folder, const std::string& key);
  void remove(const std::string& key);

 private:
  void read();

  EventLoop& loop_;
  Fd inotify_;
  std::function<void(const std::string&)> replaced_;
  std::unordered_map<int, std::string> keys_;
  std::unordered_map<std::string, int> watches_;
};

}  // namespace kml::local
