#include "kml/engine/journal/begun.h"

#include <fstream>
#include <string>
#include <system_error>

#include "kml/base/damage.h"
#include "kml/engine/journal/journal.h"

namespace kml::engine {

bool has_begun(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "journal.jsonl";
  std::error_code none;
  if (symlink_status(file, none).type() == std::filesystem::file_type::not_found) return false;
  std::ifstream journal(file);
  if (!journal || is_directory(file, none)) return true;
  std::string line;
  if (std::getline(journal, line) && !journal.eof()) return true;
  if (!writer_of(folder)) note_damage(file);
  return false;
}

}  // namespace kml::engine
