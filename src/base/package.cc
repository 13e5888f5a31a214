#include "kml/base/package.h"

#include <array>
#include <utility>
#include <vector>

#include "base/zip.h"
#include "kml/base/archive.h"
#include "kml/base/error.h"
#include "kml/base/tar.h"
#include "kml/base/text.h"

namespace kml {

namespace {

constexpr size_t kMostUnpacked = size_t{64} << 20;

bool is_document(std::string_view name) {
  const std::string_view file = name.substr(name.rfind('/') + 1);
  // macOS adds a file "._x.yaml" beside x.yaml, in the folder __MACOSX.
  return !file.starts_with('.') &&
         (file.ends_with(".yaml") || file.ends_with(".yml") || file.ends_with(".json"));
}

Error no_single_document(const std::vector<std::string>& names, const std::string& file) {
  if (names.empty()) return usage_error("cannot read " + file, "it contains no YAML or JSON file");
  return usage_error("cannot read " + file,
                     "it contains " + std::to_string(names.size()) + " files: " + join(names, ", "),
                     "unpack it, and name one of them");
}

std::string document_in_zip(std::string_view bytes, const std::string& file) {
  std::vector<std::string> names;
  ZipEntry document;
  for (ZipEntry& entry : zip_entries(bytes))
    if (is_document(entry.name)) {
      names.push_back(entry.name);
      document = std::move(entry);
    }
  if (names.size() != 1) throw no_single_document(names, file);
  return zip_content(bytes, document, kMostUnpacked);
}

bool is_tar(std::string_view bytes) {
  constexpr size_t kMagicAt = 257;
  return bytes.size() >= kMagicAt + 5 && bytes.substr(kMagicAt, 5) == "ustar";
}

/// Returns the text unchanged if it is not a tar archive: a file compressed by gzip alone contains no file
/// name.
std::string document_in_tar(std::string text, const std::string& file) {
  if (!is_tar(text)) return text;
  std::vector<std::string> names;
  std::string_view document;
  TarReader reader(text);
  for (TarEntry entry; reader.next(entry);)
    if (entry.type == TarEntry::Type::file && is_document(entry.name)) {
      names.push_back(entry.name);
      document = entry.content;
    }
  if (reader.is_damaged())
    throw usage_error("cannot read " + file, "it is damaged, or is not a tar archive that kfp made",
                      "unpack it (tar xf), and give the path of the pipeline in it");
  if (names.size() != 1) throw no_single_document(names, file);
  return std::string(document);
}

/// The program that unpacks a format that kml cannot unpack; empty if the format is unknown.
std::string_view unpacker_of(std::string_view bytes) {
  using Unpacker = std::pair<std::string_view, std::string_view>;
  constexpr std::array kUnpackers = {Unpacker{"\xfd\x37zXZ", "xz"}, Unpacker{"BZh91AY&SY", "bzip2"},
                                     Unpacker{"\x28\xb5\x2f\xfd", "zstd"}, Unpacker{"7z\xbc\xaf", "7z"},
                                     Unpacker{"Rar!\x1a\x07", "unrar"}};
  for (const auto& [begin, program] : kUnpackers)
    if (bytes.starts_with(begin)) return program;
  return {};
}

}  // namespace

std::optional<std::string> unpacked_package(std::string_view bytes, const std::string& file) try {
  if (is_zip(bytes)) return document_in_zip(bytes, file);
  if (bytes.starts_with("\x1f\x8b")) return document_in_tar(gunzipped(bytes, kMostUnpacked), file);
  if (is_tar(bytes)) return document_in_tar(std::string(bytes), file);
  if (const std::string_view unpacker = unpacker_of(bytes); !unpacker.empty())
    throw usage_error("cannot read " + file, "it must be unpacked with " + std::string(unpacker),
                      "unpack it, and name the pipeline in it");
  return {};
} catch (const Error& error) {
  if (error.code == ErrorCode::usage) throw;
  throw usage_error("cannot unpack " + file, error.why, "unpack it yourself, and name the pipeline in it");
}

}  // namespace kml
