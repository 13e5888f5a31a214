#include "pipeline/trees/tree_writer.h"

#include "kml/base/error.h"
#include "pipeline/trees/link_check.h"

namespace kml::pipeline {

namespace fs = std::filesystem;

static TreeLinks links_of(std::span<const ManifestLine> lines) {
  TreeLinks links;
  for (const ManifestLine& line : lines)
    if (line.kind == ManifestLine::Kind::link) links[line.path] = line.target;
  return links;
}

TreeWriter::TreeWriter(const fs::path& root, std::span<const ManifestLine> lines, Links links)
    : name_(root.filename()), lines_(lines) {
  check_paths(lines, "cannot unpack " + root.string());
  if (links == Links::inside) check_links(root, links_of(lines));
  std::error_code failure;
  fs::create_directories(root.parent_path(), failure);
  if (failure) throw system_error("cannot make the folder for " + root.string(), failure.value());
  parent_.emplace(root.parent_path());
  for (const ManifestLine& line : lines_) {
    const std::string place = place_of(line.path);
    if (line.kind == ManifestLine::Kind::folder)
      make_folder(place);
    else if (line.path != ".")
      make_folder(place.substr(0, place.rfind('/')));
  }
}

Fd TreeWriter::new_file(const ManifestLine& line) {
  return parent_->new_file(place_of(line.path), line.is_executable ? 0755 : 0644);
}

void TreeWriter::make_links() {
  for (const ManifestLine& line : lines_)
    if (line.kind == ManifestLine::Kind::link) parent_->make_link(place_of(line.path), line.target);
}

std::string TreeWriter::place_of(const std::string& path) const {
  return path == "." ? name_ : name_ + "/" + path;
}

void TreeWriter::make_folder(const std::string& path) {
  if (!folders_.insert(path).second) return;
  if (const size_t end = path.rfind('/'); end != std::string::npos) make_folder(path.substr(0, end));
  parent_->make_folder(path, 0755);
}

}  // namespace kml::pipeline
