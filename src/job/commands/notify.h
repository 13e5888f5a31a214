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

/// Throws usage Error if a value of --notify is invalid or, with --notify, KML_NOTIFY_HANG_EVERY is.
void check_notify(const std::vector<std::string>& notify);

/// Sends notices about the jobs that this process follows or waits for: when they start, end, fail or hang.
class JobNotices {
 public:
  /// `notify` has the values of --notify. Throws usage Error if one is invalid.
  JobNotices(Context& context, const std::vector<std::string>& notify);

  /// These functions only record events, so callbacks of a watch or a log may call them. `is_news` is false
  /// for a job that was already running before this process started to wait for it.
  void began(const std::string& namespace_name, const std::string& job, bool is_news = true);
  void ended(const job::JobView& view, const Json& job);

  /// Sends the recorded notices, and checks for hangs. Sends requests, so callbacks must not call it. A
  /// failure is only printed as a note.
  void send();

 private:
  struct Ended {
    job::JobView view;
    Json job;
  };
  /// A running job. From time to time, a separate process runs `kml hang` on it.
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
  std::map<std::string, Running> running_;  ///< the key consists of namespace and name
};

}  // namespace kml::cli
