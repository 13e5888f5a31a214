#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "job/tables/live_screen.h"
#include "job/tables/log_printer.h"
#include "kml/job/logs/log_lines.h"
#include "ui/redrawn_rows.h"

namespace kml::ui {

/// Shows live logs on a terminal. Complete lines scroll. Redrawn and incomplete lines are in a block below,
/// with separate rows for each source. If the block does not fit on the terminal, it has one row per source,
/// and shows how many sources are hidden.
class LiveLog : public LogPrinter::Live {
 public:
  struct Formats {
    LiveScreen::Format line;                                ///< formats a complete line with its prefix
    std::function<std::string(const job::LogLine&)> shown;  ///< formats a line without its cursor movements
  };
  LiveLog(const Streams& streams, Formats formats);

  void print(const job::LogLine& line) override;
  void show_unfinished(const job::LogLine& line) override;
  bool pause() override;
  void show() override;
  void hide() override { screen_.hide(); }
  void end_source(const job::LogSource& source) override;
  void finish() override;
  bool has_block() const override { return screen_.block() > 0; }

 private:
  struct Log {
    RedrawnRows rows;
    size_t seen = 0;  ///< how many bytes of the next line are already shown
  };
  /// The sort order of sources: by job, rank and name.
  struct Order {
    bool operator()(const job::LogSource* a, const job::LogSource* b) const;
  };

  Log& log_of(const job::LogSource& source);
  void add(Log& log, const job::LogLine& line);
  std::vector<std::string> block() const;

  LiveScreen screen_;
  const Formats formats_;
  std::map<const job::LogSource*, Log, Order> logs_;
  std::chrono::steady_clock::time_point shown_at_{};
  bool changed_ = false;
};

}  // namespace kml::ui
