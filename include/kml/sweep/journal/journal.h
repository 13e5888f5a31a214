#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "kml/base/clock.h"
#include "kml/engine/journal/journal.h"
#include "kml/sweep/journal/record.h"

namespace kml::sweep {

/// The journal in a sweep's folder, one record per line. Wraps engine::Journal; see there.
class Journal {
 public:
  /// Throws Error if another process has it open; the error names the process.
  Journal(const std::filesystem::path& folder, const std::string& owner);

  void read(const std::function<void(const Record& record)>& take) const;
  void add(const Record& record) { lines_.add(to_json(record)); }
  /// See engine::Journal::use_last_space().
  void use_last_space() { lines_.use_last_space(); }
  void flush() { lines_.flush(); }
  void commit() { lines_.commit(); }

  void show_life(const Clock& clock) { lines_.show_life(clock); }
  /// The last sign of life of the sweep's previous engine; empty if there was none.
  std::optional<Time> last_sign_of_life() const { return lines_.last_sign_of_life(); }

 private:
  engine::Journal lines_;
};

/// Reads the records of a journal. Leaves out a last line that is still being written. Throws Error for a
/// line that is not a record, or if the journal does not exist.
void read_journal(const std::filesystem::path& folder, const std::function<void(const Record& record)>& take);

/// Follows a journal while its writer adds to it.
class JournalTail {
 public:
  /// Throws Error if there is no journal.
  explicit JournalTail(const std::filesystem::path& folder) : lines_(folder) {}
  /// The records added since the last call. False if the journal was removed, or replaced by another one.
  bool read(const std::function<void(const Record& record)>& take);

 private:
  engine::JournalTail lines_;
};

/// The `owner` of the process that has the journal open for writing; empty without one.
std::optional<std::string> writer_of(const std::filesystem::path& folder);

/// The last time at which an engine of the sweep was alive; empty if it never had one.
std::optional<Time> last_sign_of_life(const std::filesystem::path& folder);

/// Reads the records in the text of a whole journal. `source` names it in errors.
void read_records(const std::string& text, const std::string& source,
                  const std::function<void(const Record& record)>& take);

/// state_folder()/sweeps.
std::filesystem::path sweeps_folder();
/// The sweep's folder in sweeps.
std::filesystem::path sweep_folder(const std::string& name);

}  // namespace kml::sweep
