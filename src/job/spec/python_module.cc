#include "job/spec/python_module.h"

#include <algorithm>
#include <system_error>

namespace kml::spec {

namespace fs = std::filesystem;

bool is_module_of(const fs::path& folder, const std::string& module) {
  std::string path = module;
  std::replace(path.begin(), path.end(), '.', '/');
  const std::string top = module.substr(0, module.find('.'));
  const auto has = [&](const fs::path& file) {
    std::error_code none;
    return fs::is_regular_file(folder / file, none);
  };
  if (top.empty() || module.find('/') != std::string::npos) return false;
  return has(top + ".py") || has(path + ".py") || has(fs::path(top) / "__init__.py") ||
         has(fs::path(top) / "__main__.py");
}

}  // namespace kml::spec
