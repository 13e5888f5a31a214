#include "pipeline/trees/unpack.h"

#include <vector>

#include "kml/base/files.h"
#include "pipeline/trees/tree_writer.h"

namespace kml::pipeline {

namespace {

ManifestLine::Kind kind_of(TarEntry::Type type) {
  switch (type) {
    case TarEntry::Type::link: return ManifestLine::Kind::link;
    case TarEntry::Type::folder: return ManifestLine::Kind::folder;
    case TarEntry::Type::file: break;
  }
  return ManifestLine::Kind::file;
}

}  // namespace

void unpack(std::span<const TarEntry> entries, const std::string& name, const std::filesystem::path& path,
            Links links) {
  std::vector<ManifestLine> lines;
  std::vector<std::string_view> contents;
  for (const TarEntry& entry : entries) {
    const bool is_root = entry.name == name;
    if (!is_root && !entry.name.starts_with(name + "/")) continue;
    ManifestLine& line = lines.emplace_back();
    line.kind = kind_of(entry.type);
    line.path = is_root ? "." : entry.name.substr(name.size() + 1);
    line.is_executable = entry.is_executable;
    line.target = entry.target;
    contents.push_back(entry.content);
  }
  TreeWriter writer(path, lines, links);
  for (size_t i = 0; i < lines.size(); ++i)
    if (lines[i].kind == ManifestLine::Kind::file)
      write_all(writer.new_file(lines[i]).get(), contents[i], path / lines[i].path);
  writer.make_links();
}

}  // namespace kml::pipeline
