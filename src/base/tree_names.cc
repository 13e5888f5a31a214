#include "kml/base/tree_names.h"

#include <algorithm>

namespace kml {

namespace {

constexpr int kMaxLinks = 40;  // Linux's limit, path_resolution(7)

/// Removes the first name from a path, and returns it.
std::string_view take_name(std::string_view& path) {
  const size_t end = std::min(path.find('/'), path.size());
  const std::string_view name = path.substr(0, end);
  path.remove_prefix(std::min(end + 1, path.size()));
  return name;
}

std::string_view folder_of(std::string_view path) {
  const size_t end = path.rfind('/');
  return path.substr(0, end == std::string_view::npos ? 0 : end);
}

/// Follows links as the kernel does. Comparing names is not enough: if the link "here" leads to ".", then
/// "here/.." is outside the tree.
class LinkWalk {
 public:
  explicit LinkWalk(const TreeLinks& links) : links_(links) {}

  const char* follow(TreeLinks::const_iterator link) {
    if (++followed_ > kMaxLinks) return "which leads back to itself";
    at_ = folder_of(link->first);
    return go(link->second);
  }

 private:
  /// Walks along the path, starting in the folder `at_`.
  const char* go(std::string_view path) {
    if (path.starts_with('/')) return "which is an absolute path";
    while (!path.empty())
      if (const char* fault = step(take_name(path))) return fault;
    return nullptr;
  }

  const char* step(std::string_view name) {
    if (name.empty() || name == ".") return nullptr;
    if (name == "..") {
      if (at_.empty()) return "which is outside of the folder";
      at_.resize(folder_of(at_).size());
      return nullptr;
    }
    if (!at_.empty()) at_ += '/';
    at_ += name;
    const auto link = links_.find(at_);
    return link == links_.end() ? nullptr : follow(link);
  }

  const TreeLinks& links_;
  std::string at_;  ///< the current folder; no part of its path is a link
  int followed_ = 0;
};

}  // namespace

bool is_path_beneath(std::string_view path) {
  if (path.empty() || path.ends_with('/') || path.find('\0') != std::string_view::npos) return false;
  while (!path.empty())
    if (const std::string_view name = take_name(path); name.empty() || name == "." || name == "..")
      return false;
  return true;
}

bool is_link_beneath(std::string_view path, std::string_view target) {
  if (target.empty() || target.starts_with('/')) return false;
  auto above = std::count(path.begin(), path.end(), '/');
  bool is_down = false;
  while (!target.empty()) {
    const std::string_view name = take_name(target);
    // After a link, ".." leads to the parent folder of the link's target.
    if (name == ".." && (is_down || above-- == 0)) return false;
    is_down = is_down || (name != ".." && name != "." && !name.empty());
  }
  return true;
}

std::optional<NameFault> fault_of_names(std::span<const TreeName> names) {
  std::map<std::string_view, bool> folders;  // whether each path is a folder
  for (const auto& [path, is_folder] : names) {
    if (path != "." && !is_path_beneath(path)) return NameFault{path, ", which leads out of it"};
    if (const auto [at, is_new] = folders.emplace(path, is_folder); !is_new && !(at->second && is_folder))
      return NameFault{path, " twice"};
  }
  for (const auto& [path, is_folder] : folders)
    for (std::string_view at = path; path != "." && !at.empty();) {
      at = folder_of(at);
      const std::string_view above = at.empty() ? "." : at;
      if (const auto found = folders.find(above); found != folders.end() && !found->second)
        return NameFault{path, " below ", above};
    }
  return {};
}

const char* fault_of_link(const TreeLinks& links, const std::string& link) {
  return LinkWalk(links).follow(links.find(link));
}

}  // namespace kml
