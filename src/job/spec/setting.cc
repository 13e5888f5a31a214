#include "kml/job/spec/setting.h"

namespace kml::spec {

std::string Origin::text() const {
  if (source == Source::builtin) return "default";
  if (line == 0) return name;
  return name + ":" + std::to_string(line) + ":" + std::to_string(column);
}

Problem Origin::problem(std::string what) const {
  const bool is_file = source == Source::user_file || source == Source::project_file;
  if (is_file) return {name, line, column, {}, std::move(what)};
  return {{}, 0, 0, name, std::move(what)};
}

}  // namespace kml::spec
