#include "kml/jobs/submit/code.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "kml/core/archive.h"
#include "kml/core/sha256.h"
#include "kml/core/text.h"
#include "kml/jobs/views/own_names.h"

namespace kml::jobs {

namespace fs = std::filesystem;

namespace {

/// MaxSecretSize of the API server.
constexpr size_t kPart = size_t{1} << 20;
/// More would burden etcd, which keeps all of it, in memory too.
constexpr size_t kMostPacked = 16 * kPart;
/// So that a folder with data is not read for minutes before it is refused.
constexpr uintmax_t kMostUnpacked = uintmax_t{512} << 20;

std::string size_text(uintmax_t bytes) {
  constexpr uintmax_t kKib = 1024, kMib = kKib * kKib;
  return bytes < kMib ? fmt::format("{} KiB", (bytes + kKib - 1) / kKib)
                      : fmt::format("{} MiB", bytes / kMib);
}

Error too_large(const fs::path& folder, std::vector<CodeFile> files) {
  constexpr size_t kNamed = 5;
  std::stable_sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.size > b.size; });
  files.resize(std::min(files.size(), kNamed));
  std::vector<std::string> largest;
  for (const CodeFile& file : files) largest.push_back(file.name + " " + size_text(file.size));
  return usage_error(fmt::format("{} is too large to go along: its files have to fit into {}, compressed",
                                 folder.string(), size_text(kMostPacked)),
                     "the largest are " + join(largest, ", "),
                     "list what is no code in .gitignore; keep data on a volume: --mount pvc/NAME:/data");
}

std::string packed(const fs::path& folder, const std::vector<CodeFile>& files) {
  if (files.empty()) throw usage_error("there is no code in " + folder.string());
  uintmax_t size = 0;
  for (const CodeFile& file : files) size += file.size;
  if (size > kMostUnpacked) throw too_large(folder, files);
  Archive archive;
  for (const CodeFile& file : files) {
    if (file.is_link)
      archive.add_link(file.name, fs::read_symlink(folder / file.name).string());
    else
      archive.add_file(file.name, read_file(folder / file.name, kMostUnpacked), file.is_executable);
    if (archive.size() > kMostPacked) throw too_large(folder, files);
  }
  std::string bytes = archive.finish();
  if (bytes.size() > kMostPacked) throw too_large(folder, files);
  return bytes;
}

void collect(const Json& value, std::set<std::string>& names) {
  if (value.is_string() && value.get_ref<const std::string&>().starts_with(kCodeSecretPrefix))
    names.insert(value);
  if (value.is_structured())
    for (const Json& item : value) collect(item, names);
}

}  // namespace

Code pack_code(const fs::path& folder) {
  const std::vector<CodeFile> files = code_files(folder);
  const std::string bytes = packed(folder, files);
  constexpr size_t kDigits = 32;  // 128 bits: no two codes meet by chance
  const std::string hash = sha256_hex(bytes).substr(0, kDigits);
  Code code;
  code.summary = fmt::format("{} file{}, {} compressed", files.size(), files.size() == 1 ? "" : "s",
                             size_text(bytes.size()));
  for (size_t at = 0; at < bytes.size(); at += kPart) {
    code.secrets.push_back(fmt::format("{}{}-{}", kCodeSecretPrefix, hash, code.parts.size()));
    code.parts.push_back(bytes.substr(at, kPart));
  }
  return code;
}

std::vector<Belonging> code_belongings(const Code& code, const Marks& marks,
                                       const std::vector<Json>& objects) {
  std::vector<Belonging> list;
  for (size_t i = 0; i < code.parts.size(); ++i)
    for (Belonging& part : secret_belongings({{"code", code.parts[i]}}, code.secrets[i], marks, objects)) {
      part.is_shared = true;
      list.push_back(std::move(part));
    }
  return list;
}

std::vector<std::string> code_secrets_of(const std::vector<Json>& objects) {
  std::set<std::string> names;
  for (const Json& object : objects) collect(object.value("spec", Json()), names);
  return {names.begin(), names.end()};
}

}  // namespace kml::jobs
