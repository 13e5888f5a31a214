#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kml/base/polled_process.h"
#include "kml/local/page_server.h"

namespace kml::live {

/// How a kml process ended.
struct Outcome {
  int exit_code = 0;
  std::string out, errors;
};

/// A kml process, whose output is read while the server runs. It is killed when its last owner is destroyed.
class RunningCommand : public std::enable_shared_from_this<RunningCommand> {
 public:
  RunningCommand(local::PageServer& server, const std::vector<std::string>& argv, std::shared_ptr<int> count);
  ~RunningCommand();

  /// Starts to read. `on_news` is called when the process has written more, and at its end.
  void begin(std::function<void()> on_news);
  /// Pauses or resumes reading the output. While reading is paused, the process soon has to wait before it
  /// can write more.
  void pause(bool pauses);
  bool has_ended() const { return has_ended_; }
  Outcome& outcome() { return outcome_; }

 private:
  void watch();
  void unwatch();
  void read();
  void look_for_end();

  local::PageServer& server_;
  std::shared_ptr<int> count_;
  PolledProcess process_;
  std::vector<int> watched_;
  Outcome outcome_;
  std::function<void()> on_news_;
  bool has_ended_ = false;
};

}  // namespace kml::live
