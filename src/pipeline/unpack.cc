#include "kml/pipeline/unpack.h"

#include <unistd.h>

#include <cerrno>
#include <vector>

#include "kml/core/error.h"
#include "kml/core/files.h"
#include "kml/pipeline/tree_writer.h"

namespace kml::pipeline {

namespace {

void write_content(const Fd& file, const std::string& place, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw system_error("cannot write " + place, errno);
    bytes.remove_prefix(static_cast<size_t>(written));
  }
}

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
      write_content(writer.new_file(lines[i]), path.string(), contents[i]);
  writer.make_links();
}

}  // namespace kml::pipeline
