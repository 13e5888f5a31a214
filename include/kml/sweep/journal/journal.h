#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "kml/base/clock.h"
#include "kml/engine/journal/journal.h"
#include "kml/engine/journal/record_journal.h"
#include "kml/sweep/journal/record.h"

namespace kml::sweep {

using TakeRecord = engine::TakeRecord<Record>;

/// The journal in a sweep's folder.
class Journal : public engine::RecordJournal<Record> {
 public:
  /// Opens the journal. Throws Error if another process has it open; the error names the process.
  Journal(const std::filesystem::path& folder, const std::string& owner);
};

/// Reads the records of a journal. Skips an incomplete last line. Throws Error for a line that is not a
/// record, or if the journal does not exist.
void read_journal(const std::filesystem::path& folder, const TakeRecord& take);

/// Reads a journal while another process adds to it.
class JournalTail {
 public:
  /// Throws Error if there is no journal.
  explicit JournalTail(const std::filesystem::path& folder) : lines_(folder) {}
  /// Reads the records added since the last call. Returns false if the journal was removed, or replaced by a
  /// new one.
  bool read(const TakeRecord& take);

 private:
  engine::JournalTail lines_;
};

/// The `owner` of the process that has the journal open for writing; empty if there is none.
std::optional<std::string> writer_of(const std::filesystem::path& folder);

/// The last time at which an engine of the sweep was alive; empty if it never had one.
std::optional<Time> last_sign_of_life(const std::filesystem::path& folder);

/// Reads the records in the text of a whole journal. `source` names it in errors.
void read_records(const std::string& text, const std::string& source, const TakeRecord& take);

/// state_folder()/sweeps.
std::filesystem::path sweeps_folder();
/// The folder of the sweep with that name, below the folder of all sweeps.
std::filesystem::path sweep_folder(const std::string& name);

}  // namespace kml::sweep
