#include <fmt/format.h>

#include "kml/core/text.h"
#include "local/store/object.h"
#include "local/tables/table_columns.h"

namespace kml::local {

namespace {

/// "requests.cpu: 1/4": used and allowed, of limits or of all else.
std::string used_of(const Json& quota, bool limits) {
  std::vector<std::string> parts;
  for (const auto& [name, hard] : object_at(quota, {"status", "hard"}).items())
    if (name.starts_with("limits.") == limits)
      parts.push_back(fmt::format("{}: {}/{}", name, string_at(quota, {"status", "used", name}, "0"),
                                  hard.get<std::string>()));
  return join(parts, ", ");
}

}  // namespace

const TableColumns kQuotaColumns{
    {{.name = "Name", .format = "name"}, {"Request"}, {"Limit"}, {"Age"}}, [](const Json& quota, Time now) {
      return Json{name_of(quota), used_of(quota, false), used_of(quota, true), age_of(quota, now)};
    }};

}  // namespace kml::local
