#include "pipeline/link_check.h"

#include <fmt/format.h>

#include <deque>
#include <vector>

#include "kml/core/error.h"
#include "kml/core/text.h"
#include "pipeline/tree_entries.h"

namespace kml::pipeline {

namespace {

constexpr int kMaxLinks = 40;  // Linux's limit, path_resolution(7)

/// Follows links like the kernel. Comparing names is not enough: if a link "here" leads to ".", "here/.." is
/// outside of the tree.
class LinkWalk {
 public:
  explicit LinkWalk(const TreeLinks& links) : links_(links) {}

  /// Describes the fault of a link; nullptr if it has none.
  const char* fault_of(const std::string& link) {
    at_ = split(link, '/');
    const char* fault = follow(link);
    while (!fault && !to_go_.empty()) {
      const std::string name = std::move(to_go_.front());
      to_go_.pop_front();
      fault = step(name);
    }
    return fault;
  }

 private:
  const char* step(const std::string& name) {
    if (name.empty() || name == ".") return nullptr;
    if (name == "..") {
      if (at_.empty()) return "which is outside of the output";
      at_.pop_back();
      return nullptr;
    }
    at_.push_back(name);
    const std::string path = join(at_, "/");
    return links_.contains(path) ? follow(path) : nullptr;
  }

  /// Follows the link at `at_`.
  const char* follow(const std::string& link) {
    const std::string& target = links_.at(link);
    if (target.starts_with('/')) return "which is an absolute path";
    if (++followed_ > kMaxLinks) return "which leads back to itself";
    at_.pop_back();
    const std::vector<std::string> names = split(target, '/');
    to_go_.insert(to_go_.begin(), names.begin(), names.end());
    return nullptr;
  }

  const TreeLinks& links_;
  std::vector<std::string> at_;  ///< folders; none of them is a link
  std::deque<std::string> to_go_;
  int followed_ = 0;
};

}  // namespace

void check_links(const std::filesystem::path& root, const TreeLinks& links) {
  for (const auto& [path, target] : links) {
    const bool is_root = path == ".";
    if (const char* fault = is_root ? "not a file or folder" : LinkWalk(links).fault_of(path))
      throw Error(ErrorCode::failure, "cannot keep " + root.string(),
                  fmt::format("{} is a link to {}, {}", is_root ? "it" : quoted_name(path),
                              quoted_name(target), fault),
                  "let the step copy the link's target (cp -rL), or use a link inside the output (ln -sr)");
  }
}

}  // namespace kml::pipeline
