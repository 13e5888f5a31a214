#include "kml/job/submit/code_layer.h"

#include <fmt/format.h>

#include "job/submit/large_code.h"
#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/memory.h"
#include "kml/base/text.h"
#include "kml/job/render/render.h"
#include "kml/job/submit/code.h"

namespace kml::job {

namespace fs = std::filesystem;

namespace {

/// The layer is in memory until it is sent.
constexpr size_t kMostPackedLayer = size_t{256} << 20;
/// Rejects a folder full of data at once, instead of reading it for minutes first.
constexpr uintmax_t kMostUnpackedLayer = uintmax_t{2} << 30;

Error too_large_for_layer(const fs::path& folder, const std::vector<CodeFile>& files) {
  return too_large_code(folder.string() + " is too large for a layer of code: its files must fit into " +
                            size_text(kMostPackedLayer) + ", compressed",
                        files);
}

}  // namespace

image::Layer code_layer(const fs::path& folder, const std::string& path) {
  const std::vector<CodeFile> files = code_files(folder);
  if (files.empty()) throw usage_error("no files in " + folder.string());
  uintmax_t size = 0;
  for (const CodeFile& file : files) size += file.size;
  if (size > kMostUnpackedLayer) throw too_large_for_layer(folder, files);
  const std::string inside = fs::path(path).lexically_normal().relative_path().string();
  // The folders above the code get entries only if they are kml's own folders. An entry would change the
  // owner of a folder that the image already has.
  const bool is_own = path == render::kCodeFolder;
  image::LayerWriter layer;
  for (const CodeFile& file : files) {
    require_memory(file.name, file.size);
    TarEntry entry{.name = is_own ? inside + "/" + file.name : file.name,
                   .is_executable = file.is_executable};
    std::string content;
    if (file.is_link) {
      entry.type = TarEntry::Type::link;
      entry.is_executable = true;
      entry.target = fs::read_symlink(folder / file.name).string();
    } else {
      content = read_file(folder / file.name, kMostUnpackedLayer);
      entry.content = content;
    }
    layer.add(is_own ? "" : inside, std::move(entry));
    if (layer.size() > kMostPackedLayer) throw too_large_for_layer(folder, files);
  }
  image::Layer done = layer.finish();
  done.created_by = "kml image append --code " + path;
  done.summary = fmt::format("{} file{}, {} compressed", files.size(), files.size() == 1 ? "" : "s",
                             size_text(done.bytes.size()));
  return done;
}

}  // namespace kml::job
