#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "kml/base/clock.h"
#include "kml/engine/journal/journal.h"

namespace kml::engine {

template <typename Record>
using TakeRecord = std::function<void(const Record& record)>;

/// Returns a function that reads lines as records, by from_json(line, record). `take` must outlive it.
template <typename Record>
TakeLine as_records(const TakeRecord<Record>& take) {
  return [&take](const Json& line) { take(line.get<Record>()); };
}

/// A Journal with typed records; see Journal. to_json(record) turns a record into a line.
template <typename Record>
class RecordJournal {
 public:
  RecordJournal(const std::filesystem::path& folder, const std::string& owner, const JournalWords& words)
      : lines_(folder, owner, words) {}

  void read(const TakeRecord<Record>& take) const { lines_.read(as_records(take)); }
  void add(const Record& record) { lines_.add(to_json(record)); }
  void use_last_space() { lines_.use_last_space(); }
  void flush() { lines_.flush(); }
  void commit() { lines_.commit(); }

  void show_life(const Clock& clock) { lines_.show_life(clock); }
  std::optional<Time> last_sign_of_life() const { return lines_.last_sign_of_life(); }

 private:
  Journal lines_;
};

}  // namespace kml::engine
