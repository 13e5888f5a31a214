#include "local/admission/images.h"

#include <unistd.h>

#include "kml/base/files.h"
#include "kml/base/json.h"
#include "kml/base/process.h"
#include "kml/base/text.h"

namespace kml::local {

namespace fs = std::filesystem;

namespace {

constexpr const char* kTrainer = "kml-trainer";

/// Returns "kml-trainer" for "registry:5000/team/kml-trainer:v1@sha256:…".
std::string bare_name(const std::string& image) {
  std::string name = image.substr(image.rfind('/') + 1);
  return name.substr(0, name.find_first_of(":@"));
}

bool is_program(const fs::path& path) {
  return fs::is_regular_file(path) && ::access(path.c_str(), X_OK) == 0;
}

/// Looks for the trainer beside the kml binary (in a build folder), then in libexec (after an installation),
/// then in PATH.
std::vector<std::string> trainer_command() {
  const fs::path folder = own_executable().parent_path();
  std::vector<fs::path> places = {folder, folder / "trainer", folder.parent_path() / "libexec",
                                  folder.parent_path() / "libexec" / "kml"};
  for (const std::string& part : split(environment("PATH"), ':')) places.emplace_back(part);
  for (const fs::path& place : places)
    if (place.is_absolute() && is_program(place / kTrainer)) return {(place / kTrainer).lexically_normal()};
  return {};
}

Json read_table(const fs::path& file) {
  const auto text = read_file_if_exists(file);
  return text ? parse_json(*text, file.string()) : Json::object();
}

}  // namespace

std::vector<std::string> Images::command_of(const std::string& image) const {
  const Json table = read_table(file_);
  std::vector<std::string> command;
  for (const Json& word : array_at(table, {image}))
    if (word.is_string()) command.push_back(word.get<std::string>());
  if (command.empty() && bare_name(image) == kTrainer) return trainer_command();
  return command;
}

void Images::set(const std::string& image, const std::vector<std::string>& command) const {
  Json table = read_table(file_);
  if (command.empty())
    table.erase(image);
  else
    table[image] = command;
  make_private_folder(file_.parent_path());
  write_file_atomically(file_, table.dump(2) + "\n");
}

}  // namespace kml::local
