#include "kml/base/tar.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace tar_test {

using namespace kml;

namespace {

std::vector<TarEntry> read(TarReader& reader) {
  std::vector<TarEntry> entries;
  for (TarEntry entry; reader.next(entry);) entries.push_back(entry);
  return entries;
}

std::string archive_of(const std::vector<TarEntry>& entries) {
  std::string archive;
  for (const TarEntry& entry : entries) append_tar(entry, archive);
  append_tar_end(archive);
  return archive;
}

}  // namespace

TEST_CASE("tar: entries are read back as they were written, with names of any length") {
  const std::string long_name = std::string(150, 'd') + "/" + std::string(150, 'f');
  const std::vector<TarEntry> entries = {
      {"a", TarEntry::Type::file, false, {}, "text"},
      {"empty", TarEntry::Type::folder, true, {}, {}},
      {std::string(100, 'x'), TarEntry::Type::file, true, {}, std::string_view("\0\n\xFF", 3)},
      {long_name, TarEntry::Type::link, true, long_name + "/target", {}},
      {"last", TarEntry::Type::file, false, {}, {}}};
  const std::string archive = archive_of(entries);
  TarReader reader(archive);
  const std::vector<TarEntry> found = read(reader);
  CHECK_FALSE(reader.is_damaged());
  REQUIRE(found.size() == entries.size());
  for (size_t i = 0; i < found.size(); ++i) {
    CHECK(found[i].name == entries[i].name);
    CHECK(found[i].type == entries[i].type);
    CHECK(found[i].is_executable == entries[i].is_executable);
    CHECK(found[i].target == entries[i].target);
    CHECK(found[i].content == entries[i].content);
  }
}

TEST_CASE("tar: modes and times are kept, if they are given") {
  const auto header = [](const TarEntry& entry) {
    std::string archive;
    append_tar(entry, archive);
    return archive;
  };
  const std::string plain = header({"a", TarEntry::Type::file, true});
  CHECK(plain.substr(100, 7) == "0000755");
  CHECK(plain.substr(136, 11) == "00000000000");
  const std::string own = header({.name = "a", .mode = 0640, .modified = 01234567});
  CHECK(own.substr(100, 7) == "0000640");
  CHECK(own.substr(136, 11) == "00001234567");
}

TEST_CASE("tar: an archive that is truncated or has a changed header is reported as damaged") {
  const std::string archive = archive_of({{"a", TarEntry::Type::file, false, {}, std::string_view("text")},
                                          {"b", TarEntry::Type::file, false, {}, std::string_view("text")}});
  for (size_t size = 0; size <= 4 * 512; size += 100) {
    TarReader reader(std::string_view(archive).substr(0, size));
    read(reader);
    CHECK(reader.is_damaged());
  }
  for (const size_t at : {0, 110, 130, 150, 156}) {
    std::string changed = archive;
    changed[at] = static_cast<char>(changed[at] + 1);
    TarReader reader(changed);
    read(reader);
    CHECK(reader.is_damaged());
  }
}

}  // namespace tar_test
