#include "job/packages/mirror.h"

#include "job/packages/toml.h"
#include "kml/base/files.h"
#include "kml/base/text.h"

namespace kml::packages {

namespace fs = std::filesystem;

namespace {

/// A script that contains only a header, with the keys of a project and its tools.
std::string script_with(const Json& keys) {
  Json header = object_at(keys, {"project"});
  for (const char* key : {"name", "version"}) header.erase(key);
  if (keys.contains("tool")) header["tool"] = keys["tool"];
  std::string script = "# /// script\n";
  for (const std::string& line : split(toml_text(header), '\n'))
    if (!line.empty()) script += "# " + line + "\n";
  return script + "# ///\n";
}

class Mirror {
 public:
  Mirror(const Requested& requested, fs::path folder) : requested_(requested), folder_(std::move(folder)) {}

  fs::path make() const {
    const UvLock& lock = requested_.lock;
    write(lock.file, lock.text);
    for (const fs::path& place : lock.in_place) link(place);
    for (const auto& [project, keys] : lock.projects) write(project / "pyproject.toml", toml_of(keys));
    if (requested_.kind != Requested::Kind::script) return at(requested_.file.parent_path());
    write(requested_.file, script_with(checked(requested_.keys)));
    return at(requested_.file);
  }

 private:
  fs::path at(const fs::path& path) const { return folder_ / path.lexically_normal().relative_path(); }
  Json checked(const Json& keys) const { return checkable(keys, requested_.has_powers()); }
  std::string toml_of(const Json& keys) const { return toml_text(checked(keys)); }

  void write(const fs::path& file, const std::string& text) const {
    make_private_folder(at(file).parent_path());
    write_file_atomically(at(file), text);
  }

  void link(const fs::path& place) const {
    std::error_code ignored;  // if this fails, uv reports what is missing
    make_private_folder(at(place).parent_path());
    fs::create_symlink(place, at(place), ignored);
  }

  const Requested& requested_;
  const fs::path folder_;
};

}  // namespace

fs::path mirror_of_lock(const Requested& requested, const fs::path& folder) {
  return Mirror(requested, folder).make();
}

}  // namespace kml::packages
