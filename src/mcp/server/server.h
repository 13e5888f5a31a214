#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <list>
#include <string>
#include <vector>

#include "kml/base/polled_process.h"
#include "kml/base/signals.h"
#include "mcp/server/session.h"

namespace kml::mcp {

/// Serves one client: reads messages from a descriptor, runs the processes of calls side by side, and writes
/// answers. Each line is a message.
class Server {
 public:
  /// `kml` makes the command line of a kml process from its arguments.
  Server(Session& session, int in, int out,
         std::function<std::vector<std::string>(const std::vector<std::string>&)> kml)
      : session_(session), in_(in), out_(out), kml_(std::move(kml)) {}

  /// Returns after the end of the input, after SIGINT or SIGTERM, or when the client no longer reads the
  /// answers. After the end of the input, calls may continue for ten seconds before they are interrupted; a
  /// signal interrupts them at once.
  void run();

 private:
  /// A call that waits or runs.
  struct Task {
    Json id, progress_token;
    bool is_modern = false;
    Started started;
    std::vector<Ran> ran;
    std::unique_ptr<PolledProcess> process;
    std::string out, errors;
    size_t told = 0;   ///< how many bytes of `errors` the client has received as progress
    int progress = 0;  ///< how many notifications of progress were sent
    bool is_cancelled = false;
    std::chrono::steady_clock::time_point kill_at = std::chrono::steady_clock::time_point::max();
    std::chrono::steady_clock::time_point begun = {}, next_beat = {};
  };

  void wait(bool reads, int signals);
  bool read_input();
  void take_line(std::string_view line);
  void take_message(const Message& message);
  void cancel(const Json& params);
  void start_waiting();
  bool may_start(const Task& task) const;
  bool go_on(Task& task);
  void step(Task& task);
  void tell_progress(Task& task);
  void finish(Task& task, const Json& result);
  void stop(Task& task);
  void send(const std::string& line);

  Session& session_;
  int in_, out_;
  std::function<std::vector<std::string>(const std::vector<std::string>&)> kml_;
  std::string input_;
  bool skips_line_ = false;  ///< whether the current line was too long
  bool is_closed_ = false;   ///< whether the client has stopped reading the answers
  std::deque<Task> waiting_;
  std::list<Task> running_;
};

}  // namespace kml::mcp
