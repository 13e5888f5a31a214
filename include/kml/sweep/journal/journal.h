#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "kml/core/clock.h"
#include "kml/core/files.h"
#include "kml/sweep/journal/record.h"

namespace kml::sweep {

/// `journal.jsonl` in a sweep's folder: one JSON object a line for each decision, in order. Only one process,
/// which holds a lock, writes it; any process may read it.
class Journal {
 public:
  /// Opens it for writing, and creates it if needed. A last line that was cut off by a crash is removed.
  /// Throws Error if another process has it open; the error names the process.
  Journal(const std::filesystem::path& folder, const std::string& owner);

  /// What is in it so far.
  void read(const std::function<void(const Record& record)>& take) const;
  /// Adds a record, which is durable once commit() returns.
  void add(const Record& record);
  /// Writes the added records, so that readers see them. Throws Error if the disk is full; none of them is
  /// written then.
  void flush();
  /// Also makes them survive a crash of the machine.
  void commit();

  /// Records that the engine is alive, at most once a second; readers ask last_sign_of_life().
  void show_life(const Clock& clock);
  /// Of the engine that ran the sweep before; empty if there was none.
  std::optional<Time> last_sign_of_life() const { return last_sign_; }

 private:
  std::filesystem::path file_;
  Fd lock_, out_;
  std::string pending_;
  std::optional<Time> last_sign_;
  std::chrono::steady_clock::time_point shown_{};
  bool is_synced_ = true;
};

/// Reads the records of a journal. A last line that is still being written is left out.
/// Throws Error for a line that is not a record, and if there is no journal.
void read_journal(const std::filesystem::path& folder, const std::function<void(const Record& record)>& take);

/// Follows a journal while its writer adds to it.
class JournalTail {
 public:
  /// Throws Error if there is no journal.
  explicit JournalTail(const std::filesystem::path& folder);
  /// The records added since the last call. False if the journal was removed, or replaced by another one.
  bool read(const std::function<void(const Record& record)>& take);

 private:
  std::filesystem::path file_;
  Fd in_;
  long long done_ = 0;
};

/// The `owner` of the process that has the journal open for writing; empty if none has.
std::optional<std::string> writer_of(const std::filesystem::path& folder);

/// The last time at which an engine of the sweep was alive; empty if it never had one.
std::optional<Time> last_sign_of_life(const std::filesystem::path& folder);

/// Reads the records in the text of a whole journal. `source` names it in errors.
void read_records(const std::string& text, const std::string& source,
                  const std::function<void(const Record& record)>& take);

/// state_folder()/sweeps.
std::filesystem::path sweeps_folder();
/// That sweep's in it.
std::filesystem::path sweep_folder(const std::string& name);

}  // namespace kml::sweep
