#include "pipeline/trees/link_check.h"

#include <fmt/format.h>

#include "kml/base/error.h"
#include "pipeline/trees/tree_entries.h"

namespace kml::pipeline {

void check_links(const std::filesystem::path& root, const TreeLinks& links) {
  for (const auto& [path, target] : links) {
    const bool is_root = path == ".";
    if (const char* fault = is_root ? "not a file or folder" : fault_of_link(links, path))
      throw Error(ErrorCode::failure, "cannot keep " + root.string(),
                  fmt::format("{} is a link to {}, {}", is_root ? "it" : quoted_name(path),
                              quoted_name(target), fault),
                  "copy the link's target instead (cp -rL), or link to a file of the same folder (ln -sr)");
  }
}

}  // namespace kml::pipeline
