#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/context.h"
#include "job/notify/notify.h"
#include "kml/base/process.h"
#include "kml/job/views/job_view.h"

namespace kml::cli {

/// Declares --notify.
void add_notify_flag(Command& command, std::vector<std::string>& notify);

/// Throws usage Error if a value of --notify is invalid.
void check_notify(const std::vector<std::string>& notify);

/// Sends notices about jobs that this process follows or waits for: when they start, end, fail or hang.
class JobNotices {
 public:
  /// `notify` are values of --notify. Throws usage Error.
  JobNotices(Context& context, const std::vector<std::string>& notify);

  /// These only note what happened, so that a watch's or a log's callback may call them. `is_news` is false
  /// for a job that was already running before this process waited for it.
  void began(const std::string& namespace_name, const std::string& job, bool is_news = true);
  void ended(const job::JobView& view, const Json& job);

  /// Sends what is noted, and looks for hangs. Sends requests, so it must not be called by a callback.
  /// Failures become notes.
  void send();

 private:
  struct Ended {
    job::JobView view;
    Json job;
  };
  /// A job that runs. `kml hang` looks at it from time to time, as a separate process.
  struct Running {
    std::string namespace_name, job;
    std::chrono::steady_clock::time_point next_look;
    std::unique_ptr<RunningProcess> look = {};
    bool is_reported = false;
  };

  job::Notice notice(job::Notice::Event event, const std::string& namespace_name, const std::string& job,
                     const std::string& text);
  void send(const job::Notice& notice);
  void send_end(const Ended& ended);
  void look_for_hang(Running& running);

  Context& context_;
  std::vector<job::NoticeTarget> targets_;
  std::chrono::seconds between_looks_;
  std::deque<job::Notice> begun_;
  std::deque<Ended> ended_;
  std::map<std::string, Running> running_;  ///< by namespace and name
};

}  // namespace kml::cli
