#include "kml/sweep/journal/journal.h"

#include "kml/base/error.h"
#include "kml/base/files.h"

namespace kml::sweep {

namespace {

namespace fs = std::filesystem;

engine::JournalWords words_of(const fs::path& folder) {
  const std::string name = folder.filename().string();
  return {.what = "sweep " + name,
          .while_running = "`kml sweep attach " + name + "` shows it, `kml sweep stop " + name + "` stops it",
          .go_on = "`kml sweep resume` then continues the sweep"};
}

/// `take` must outlive the result.
engine::TakeLine as_records(const std::function<void(const Record& record)>& take) {
  return [&take](const Json& line) { take(record_from_json(line)); };
}

}  // namespace

void read_records(const std::string& text, const std::string& source,
                  const std::function<void(const Record& record)>& take) {
  engine::read_lines(text, source, as_records(take));
}

fs::path sweeps_folder() {
  return state_folder() / "sweeps";
}

fs::path sweep_folder(const std::string& name) {
  return sweeps_folder() / path_component(name);
}

void read_journal(const fs::path& folder, const std::function<void(const Record& record)>& take) {
  if (!engine::read_journal(folder, as_records(take)))
    throw Error(ErrorCode::failure, "no sweep in " + folder.string(), "it has no journal.jsonl");
}

bool JournalTail::read(const std::function<void(const Record& record)>& take) {
  return lines_.read(as_records(take));
}

std::optional<std::string> writer_of(const fs::path& folder) {
  return engine::writer_of(folder);
}

std::optional<Time> last_sign_of_life(const fs::path& folder) {
  return engine::last_sign_of_life(folder);
}

Journal::Journal(const fs::path& folder, const std::string& owner)
    : lines_(folder, owner, words_of(folder)) {}

void Journal::read(const std::function<void(const Record& record)>& take) const {
  lines_.read(as_records(take));
}

}  // namespace kml::sweep
