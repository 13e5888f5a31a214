#include "kml/base/damage.h"

#include <algorithm>

namespace kml {

namespace {

std::vector<std::string>& noted() {
  static std::vector<std::string> places;
  return places;
}

}  // namespace

void note_damage(const std::filesystem::path& file, size_t line) {
  std::string place = file.string() + (line > 0 ? ":" + std::to_string(line) : "");
  if (std::find(noted().begin(), noted().end(), place) == noted().end()) noted().push_back(std::move(place));
}

const std::vector<std::string>& noted_damage() {
  return noted();
}

}  // namespace kml
