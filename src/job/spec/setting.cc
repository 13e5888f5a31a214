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

bool have_same_source(const Origin& a, const Origin& b) {
  const bool is_in_file = a.source == Source::user_file || a.source == Source::project_file;
  return a.source == b.source && (!is_in_file || a.name == b.name);
}

}  // namespace kml::spec
