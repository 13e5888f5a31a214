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

/// `journal.jsonl` in a sweep's folder: all that happened, one JSON object a line, in the order in which it
/// was decided. Only its one writer, who holds a lock, adds to it; anybody may read.
class Journal {
 public:
  /// Opens it to be written, and makes it where there is none. A last line that a crash cut is taken off.
  /// Throws Error where another process has it, and says which.
  Journal(const std::filesystem::path& folder, const std::string& owner);

  /// What is in it so far.
  void read(const std::function<void(const Record& record)>& take) const;
  /// Adds a record; it is safe once commit() returns.
  void add(const Record& record);
  /// Writes what was added, where readers see it. Throws Error where the disk is full: nothing of it counts
  /// then.
  void flush();
  /// Also makes it safe from a crash of the machine.
  void commit();

  /// Whoever runs the sweep is alive: readers see it by last_sign_of_life(), which is renewed once a second.
  void show_life(const Clock& clock);
  /// Of whoever ran it before; empty where nobody did.
  std::optional<Time> last_sign_of_life() const { return last_sign_; }

 private:
  std::filesystem::path file_;
  Fd lock_, out_;
  std::string pending_;
  std::optional<Time> last_sign_;
  std::chrono::steady_clock::time_point shown_{};
  bool is_synced_ = true;
};

/// The records of a journal, without the right to write. A last line that is being written is left out.
/// Throws Error for a line that is not a record, and where there is no journal.
void read_journal(const std::filesystem::path& folder, const std::function<void(const Record& record)>& take);

/// A journal that is read while its writer adds to it.
class JournalTail {
 public:
  /// Throws Error where there is no journal.
  explicit JournalTail(const std::filesystem::path& folder);
  /// The records that are new since the last call. False where the journal was removed, or replaced by
  /// another one.
  bool read(const std::function<void(const Record& record)>& take);

 private:
  std::filesystem::path file_;
  Fd in_;
  long long done_ = 0;
};

/// Who writes the journal now, as its Journal was told; empty where nobody does.
std::optional<std::string> writer_of(const std::filesystem::path& folder);

/// The last time at which an engine that ran the sweep was alive; empty where none has.
std::optional<Time> last_sign_of_life(const std::filesystem::path& folder);

/// Those of a text: a whole journal. `source` names it in errors.
void read_records(const std::string& text, const std::string& source,
                  const std::function<void(const Record& record)>& take);

/// state_folder()/sweeps.
std::filesystem::path sweeps_folder();
/// That sweep's in it.
std::filesystem::path sweep_folder(const std::string& name);

}  // namespace kml::sweep
