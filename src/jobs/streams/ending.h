#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "jobs/streams/remote_run.h"

namespace kml::jobs {

/// Ends commands in pods because of a signal that this process got: first by the same one, then by SIGKILL.
class Ending {
 public:
  using Note = std::function<void(const std::string&)>;

  Ending(kube::Client& client, Note note) : client_(client), note_(std::move(note)) {}

  /// A signal came, or the other end of standard output is gone (SIGPIPE). `names` are those of the runs'
  /// pods, as "bert/0".
  void begin(int signal, const std::vector<RemoteRun*>& runs, const std::vector<std::string>& names);
  /// The signal; 0 before one.
  int signal() const { return signal_; }
  /// No longer to be waited for.
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

}  // namespace kml::jobs
