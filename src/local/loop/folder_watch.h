#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <unordered_map>

#include "local/loop/event_loop.h"

namespace kml::local {

/// Calls back when a file with the given name is written in any of several folders. Needs a single inotify
/// descriptor for all folders.
class FolderWatch {
 public:
  /// `written` receives the key that add() received with the folder.
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
