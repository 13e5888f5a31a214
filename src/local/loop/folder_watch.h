#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <unordered_map>

#include "local/loop/event_loop.h"

namespace kml::local {

/// Calls back when a file of the given name is written to in one of several folders. Uses one inotify
/// descriptor for all folders.
class FolderWatch {
 public:
  /// `written` gets the key that was given to add() with the folder.
  FolderWatch(EventLoop& loop, std::string file, std::function<void(const std::string& key)> written);
  ~FolderWatch();

  void add(const std::filesystem::path& folder, const std::string& key);
  void remove(const std::string& key);

 private:
  void read();

  EventLoop& loop_;
  Fd inotify_;
  std::string file_;
  std::function<void(const std::string&)> written_;
  std::unordered_map<int, std::string> keys_;
  std::unordered_map<std::string, int> watches_;
};

}  // namespace kml::local
