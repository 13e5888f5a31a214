#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

// defines: is_path_beneath, is_link_beneath, fault_of_names, fault_of_link: checks of a tree that another
// machine describes, before any of it is written. Uses no exceptions, because kml-step is linked without
// support for them.

namespace kml {

/// Whether the text is a path that stays below the folder it starts in: names joined by "/", none of them
/// empty, "." or "..", and no zero byte.
bool is_path_beneath(std::string_view path);

/// Whether a link with this target, at `path` in a tree, leads to a place in the same tree, whatever other
/// links the tree has.
bool is_link_beneath(std::string_view path, std::string_view target);

struct TreeName {
  std::string_view path;  ///< in the tree; "." is its root
  bool is_folder;
};

/// The position of a tree's first wrong name.
struct NameFault {
  std::string_view path;
  const char* what;             ///< follows the path in a message
  std::string_view above = {};  ///< the file or link that the path is below; empty for another fault
};

/// Whether these names cannot be one tree: a path leads out of it or occurs twice, or is below a file or a
/// link.
std::optional<NameFault> fault_of_names(std::span<const TreeName> names);

/// The links of a tree: the target of each path.
using TreeLinks = std::map<std::string, std::string>;

/// The fault of a link of the tree, one of `links`, that is absolute or leads out of the tree, so that the
/// tree would not be the same elsewhere; nullptr if it has none. A link to a missing file is allowed.
const char* fault_of_link(const TreeLinks& links, const std::string& link);

}  // namespace kml
