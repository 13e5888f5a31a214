#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kml::step {

/// Finds where the paths of other processes lead.
class Paths {
 public:
  /// The path without links. A link at its end is only followed if `follows`, or if a slash comes after it.
  /// If `path` is relative, it starts in `folder`, which has no links. `thread` is the thread that /proc/self
  /// stands for. Appends the links on the way to `links`.
  std::string real(int thread, const std::string& folder, std::string_view path, bool follows,
                   std::vector<std::string>& links);
  /// Call this when a folder or link may have been replaced.
  void forget() { plain_.clear(); }

 private:
  std::set<std::string, std::less<>> plain_;  ///< folders that are not links
};

/// The target of a link; empty if the path does not exist or is not a link.
std::string link_target(const std::string& path);

/// The interpreter that the first line of a script names, or the loader of a program; empty if there is none.
std::string interpreter_of(const std::string& program);

/// Reads a text that ends with a zero byte from the memory of another process. Returns false if it cannot be
/// read.
bool read_text(int thread, unsigned long long address, std::string& text);
bool read_bytes(int thread, unsigned long long address, void* bytes, size_t size);

}  // namespace kml::step
