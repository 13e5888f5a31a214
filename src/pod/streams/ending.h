#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "pod/streams/remote_run.h"

namespace kml::pod {

/// Forwards a signal that kml has received to the commands in pods, and kills commands that do not end.
class Ending {
 public:
  using Note = std::function<void(const std::string&)>;

  Ending(kube::Client& client, Note note) : client_(client), note_(std::move(note)) {}

  /// Call this when a signal has arrived, or when the reader of standard output is gone (SIGPIPE). `names`
  /// are the names of the pods in `runs`, such as "bert/0".
  void begin(int signal, const std::vector<RemoteRun*>& runs, const std::vector<std::string>& names);
  /// The first signal; 0 if none has arrived.
  int signal() const { return signal_; }
  /// Whether there is nothing left to wait for.
  bool is_over() const { return is_over_; }

 private:
  void tell(const std::string& signal_name);

  kube::Client& client_;
  Note note_;
  int signal_ = 0;
  bool is_over_ = false;
  std::vector<RemoteRun*> runs_;
  std::vector<std::string> names_;
  std::unique_ptr<http::Timer> next_;
};

}  // namespace kml::pod
