#include "kml/job/render/render.h"

#include <algorithm>
#include <map>

#include "job/render/builtin_templates.h"
#include "kml/base/files.h"
#include "kml/base/suggestion.h"
#include "kml/base/text.h"
#include "kml/job/spec/config.h"

namespace fs = std::filesystem;

namespace kml::render {

namespace {

constexpr size_t kLargestTemplate = size_t{1} << 20;

/// Whether this is a regular file. Reading another user's named pipe could block forever.
bool is_file(const fs::path& path) {
  std::error_code unreadable;
  return fs::is_regular_file(path, unreadable);
}

}  // namespace

Catalog::Catalog(std::vector<fs::path> folders) : folders_(std::move(folders)) {}

std::vector<Catalog::Entry> Catalog::list() const {
  std::map<std::string, std::string> found;
  for (const fs::path& folder : folders_) {
    std::error_code missing;
    for (const auto& entry : fs::directory_iterator(folder, missing))
      if (entry.path().extension() == ".yaml" && is_file(entry.path()))
        found.emplace(entry.path().stem(), entry.path());
  }
  for (const BuiltinTemplate& builtin : builtin_templates()) found.emplace(builtin.name, kBuiltin);
  std::vector<Entry> entries;
  for (const auto& [name, where] : found) entries.push_back({name, where});
  return entries;
}

Template Catalog::load(std::string_view name_or_path) const {
  if (spec::is_template_file(name_or_path)) {
    const fs::path path(name_or_path);
    return parse_template(read_file(path, kLargestTemplate), path.stem(), path);
  }
  std::vector<std::string> names;
  for (const Entry& entry : list()) {
    if (entry.name != name_or_path) {
      names.push_back(entry.name);
    } else if (entry.where != kBuiltin) {
      return parse_template(read_file(entry.where, kLargestTemplate), entry.name, entry.where);
    }
  }
  for (const BuiltinTemplate& builtin : builtin_templates())
    if (builtin.name == name_or_path)
      return parse_template(builtin.text, std::string(builtin.name), std::string(builtin.name) + ".yaml");
  throw usage_error("no template \"" + std::string(name_or_path) + "\"", "",
                    suggestion(name_or_path, names,
                               "the templates are " + join(names, ", ") + "; for a file: -t ./my.yaml"));
}

}  // namespace kml::render
