#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

// defines: is_path_beneath, is_link_beneath, fault_of_names, fault_of_link. They check a tree that another
// machine describes, before any of it is written. They use no exceptions, because kml-step is linked without
// support for them.

namespace kml {

/// Whether the text is a path that stays below the folder where it starts. It must consist of names joined by
/// "/", none of which is empty, "." or "..", and must not contain a zero byte.
bool is_path_beneath(std::string_view path);

/// Whether a link at `path` in a tree, with this target, leads to a place in the same tree, whatever other
/// links the tree contains.
bool is_link_beneath(std::string_view path, std::string_view target);

struct TreeName {
  std::string_view path;  ///< the path in the tree; "." for the root
  bool is_folder;
};

/// An invalid name in a tree.
struct NameFault {
  std::string_view path;
  const char* what;             ///< the fault, to be used after the path in a message
  std::string_view above = {};  ///< if the path is below a file or a link: that file or link; otherwise empty
};

/// The fault if these names cannot be a tree, because a path leads out of it, is below a file or a link, or
/// occurs twice. Only a folder may occur twice.
std::optional<NameFault> fault_of_names(std::span<const TreeName> names);

/// The links in a tree: their targets by their paths.
using TreeLinks = std::map<std::string, std::string>;

/// The fault if the link at the path `link` leads to an absolute path, out of the tree, or back to itself: a
/// copy of the tree elsewhere would then not be the same, or the link leads nowhere. nullptr if there is no
/// fault. A link to a missing file is allowed.
const char* fault_of_link(const TreeLinks& links, const std::string& link);

}  // namespace kml
