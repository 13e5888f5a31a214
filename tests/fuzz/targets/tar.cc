// Archives from a pod: entries lie in the bytes, one after the other. The entries that were read are written
// again; what can be read of the result has the same names, types and link targets.
#include "kml/base/tar.h"

#include <vector>

#include "fuzz/input.h"

using namespace kml;

namespace {

std::vector<TarEntry> entries_of(std::string_view bytes, bool& is_damaged) {
  TarReader reader(bytes);
  std::vector<TarEntry> entries;
  const char* end = bytes.data();
  for (TarEntry entry; reader.next(entry);) {
    fuzz::require(entry.content.data() >= end);
    end = entry.content.data() + entry.content.size();
    fuzz::require(end <= bytes.data() + bytes.size());
    entries.push_back(entry);
  }
  is_damaged = reader.is_damaged();
  return entries;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  bool is_damaged = false;
  const std::vector<TarEntry> entries = entries_of(fuzz::text_of(data, size), is_damaged);
  std::string written;
  for (TarEntry entry : entries) {
    if (entry.type != TarEntry::Type::file) entry.content = {};
    append_tar(entry, written);
  }
  append_tar_end(written);
  const std::vector<TarEntry> again = entries_of(written, is_damaged);
  fuzz::require(again.size() <= entries.size());
  for (size_t i = 0; i < again.size(); ++i) {
    fuzz::require(again[i].name == entries[i].name && again[i].type == entries[i].type);
    fuzz::require(again[i].target == entries[i].target && again[i].is_executable == entries[i].is_executable);
  }
  return 0;
}
