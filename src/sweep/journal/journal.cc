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

}  // namespace

void read_records(const std::string& text, const std::string& source, const TakeRecord& take) {
  engine::read_lines(text, source, engine::as_records(take));
}

fs::path sweeps_folder() {
  return state_folder() / "sweeps";
}

fs::path sweep_folder(const std::string& name) {
  return sweeps_folder() / path_component(name);
}

void read_journal(const fs::path& folder, const TakeRecord& take) {
  if (!engine::read_journal(folder, engine::as_records(take)))
    throw Error(ErrorCode::failure, "no sweep in " + folder.string(), "it has no journal.jsonl");
}

bool JournalTail::read(const TakeRecord& take) {
  return lines_.read(engine::as_records(take));
}

std::optional<std::string> writer_of(const fs::path& folder) {
  return engine::writer_of(folder);
}

std::optional<Time> last_sign_of_life(const fs::path& folder) {
  return engine::last_sign_of_life(folder);
}

Journal::Journal(const fs::path& folder, const std::string& owner)
    : RecordJournal(folder, owner, words_of(folder)) {}

}  // namespace kml::sweep
