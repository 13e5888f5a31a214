#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/context.h"
#include "live/model/tables.h"
#include "live/screen/canvas.h"
#include "live/screen/outside.h"
#include "live/screen/pane.h"

namespace kml::live {

/// One job: its state, why, metrics and the end of its log, each kept up to date.
class JobScreen {
 public:
  JobScreen(const Row& row, const cli::GlobalOptions& options, Outside& outside, TerminalSize size);
  ~JobScreen();
  JobScreen(const JobScreen&) = delete;
  JobScreen& operator=(const JobScreen&) = delete;

  /// Whether the row is of the same job, not of a later one with the same name.
  bool shows(const Row& row) const;
  /// `row` is the job as it is now; null if it was deleted.
  void update(const Row* row, Time now);
  void resize(TerminalSize size);
  void scroll(long long lines) { log_->scroll(lines); }
  void scroll_to_first() { log_->scroll_to_first(); }
  void scroll_to_last() { log_->scroll_to_last(); }
  void draw(Canvas& canvas, size_t top, size_t end, const Row* row, Time now);
  size_t page() const { return page_; }

 private:
  void update_why(const Row& row, Time now);
  void start_why(const Row& row);
  void draw_why(Canvas& canvas, size_t& at, size_t end, Time now);
  void take_line(const std::string& line);
  std::vector<std::string> lines_of_metrics(size_t columns) const;

  const cli::GlobalOptions& options_;
  Outside& outside_;
  TerminalSize size_;
  const std::string name_, uid_;           ///< of the job
  std::string known_, known_state_;        ///< the facts and the state for which the last `why` was started
  Time why_started_ = {}, why_time_ = {};  ///< when next_why_ and why_ were started
  std::unique_ptr<Pane> why_, next_why_;   ///< next_why_ replaces why_ once its command has ended
  std::unique_ptr<Pane> log_;
  std::vector<std::string> names_;  ///< the names of the metrics, in the order in which they were first seen
  std::map<std::string, std::vector<double>> metrics_;
  size_t page_ = 1;
};

}  // namespace kml::live
