#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "kml/base/text.h"
#include "kml/base/tree_names.h"
#include "kml/job/submit/code.h"

namespace kml::job {

namespace fs = std::filesystem;

namespace {

/// All names in the archive: its files and links, and the folders that contain them.
std::set<std::string> names_in(const std::vector<CodeFile>& files) {
  std::set<std::string> names = {"."};
  for (const CodeFile& file : files)
    for (fs::path path = file.name; !path.empty() && names.insert(path).second;) path = path.parent_path();
  return names;
}

class LinkReader {
 public:
  LinkReader(const fs::path& folder, const std::vector<CodeFile>& files, bool is_local)
      : folder_(folder), root_(fs::canonical(folder)), names_(names_in(files)), is_local_(is_local) {
    for (const CodeFile& file : files)
      if (file.is_link) links_[file.name] = fs::read_symlink(folder / file.name).string();
  }

  std::vector<std::string> notes() const {
    constexpr size_t kNamed = 3;
    std::vector<std::string> broken;
    for (const auto& [name, target] : links_)
      if (const std::string fault = fault_of(name); !fault.empty())
        broken.push_back(fmt::format("{} is a link to {}, {}", name, target, fault));
    if (broken.size() > kNamed) {
      const size_t others = broken.size() - kNamed;
      broken.resize(kNamed);
      broken.push_back(fmt::format("{} more links lead to files that the pods do not have", others));
    }
    if (!broken.empty())
      broken.back() +=
          "; if the pods need the files, copy them into the folder (cp -rL), or mount a volume: --mount";
    return broken;
  }

 private:
  /// Why the link would break in a pod. Empty if it leads to the same file there, or to no file even here.
  std::string fault_of(const std::string& name) const {
    std::error_code missing;
    const fs::path there = fs::canonical(folder_ / name, missing);
    if (missing) return {};
    const bool is_absolute = links_.at(name).starts_with('/');
    if (is_absolute && is_local_) return {};  // pods on this machine have the same files
    if (fault_of_link(links_, name))
      return is_absolute ? "an absolute path, which only this machine has" : "which is outside of the folder";
    return names_.contains(there.lexically_relative(root_)) ? "" : "which is not sent with the code";
  }

  const fs::path& folder_;
  const fs::path root_;
  const std::set<std::string> names_;
  const bool is_local_;
  TreeLinks links_;
};

}  // namespace

std::vector<std::string> notes_of_links(const fs::path& folder, const std::vector<CodeFile>& files,
                                        bool is_local) {
  if (std::ranges::none_of(files, &CodeFile::is_link)) return {};
  return LinkReader(folder, files, is_local).notes();
}

}  // namespace kml::job
