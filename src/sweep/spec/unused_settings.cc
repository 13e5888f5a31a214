#include "sweep/spec/unused_settings.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "kml/base/text.h"

namespace kml::sweep {

std::string note_on_unused_settings(const Json& document) {
  std::vector<std::string> names;
  for (const Json& setting : array_at(document, {"spec", "algorithm", "algorithmSettings"})) {
    const std::string name = string_at(setting, {"name"});
    if (std::find(std::begin(kUnusedSettings), std::end(kUnusedSettings), name) != std::end(kUnusedSettings))
      names.push_back(name);
  }
  return names.empty() ? "" : "settings of the algorithm that have no effect in kml: " + join(names, ", ");
}

}  // namespace kml::sweep
