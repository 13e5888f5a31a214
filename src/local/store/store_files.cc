#include "local/store/store_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstring>

#include "kml/base/files.h"

namespace kml::local {

namespace {

namespace fs = std::filesystem;

constexpr size_t kWalHeader = 32, kChecksum = 24;
constexpr uint32_t kWalMagic = 0x377f0682, kWalVersion = 3007000, kPageSize = 4096;

using WalHeader = std::array<unsigned char, kWalHeader>;

fs::path journal_of(const fs::path& store) {
  return store.string() + "-wal";
}

uint64_t length_of(const fs::path& file) {
  std::error_code failure;
  const auto size = fs::file_size(file, failure);
  return failure ? 0 : size;
}

void put_number(unsigned char* to, uint32_t number) {
  for (int i = 0; i < 4; ++i) to[i] = static_cast<unsigned char>(number >> (24 - 8 * i));
}

/// The checksum of the header. kWalMagic says that the checksum reads words in little-endian byte order.
std::array<unsigned char, 8> checksum_of(const WalHeader& header) {
  uint32_t first = 0, second = 0;
  const auto word = [&](size_t at) {
    return uint32_t{header[at]} | uint32_t{header[at + 1]} << 8 | uint32_t{header[at + 2]} << 16 |
           uint32_t{header[at + 3]} << 24;
  };
  for (size_t at = 0; at < kChecksum; at += 8) {
    first += word(at) + second;
    second += word(at + 4) + first;
  }
  std::array<unsigned char, 8> sum{};
  put_number(sum.data(), first);
  put_number(sum.data() + 4, second);
  return sum;
}

/// Writes the constant numbers and the checksum.
void complete_header(WalHeader& header) {
  put_number(header.data(), kWalMagic);
  put_number(header.data() + 4, kWalVersion);
  put_number(header.data() + 8, kPageSize);
  const auto sum = checksum_of(header);
  std::memcpy(header.data() + kChecksum, sum.data(), sum.size());
}

/// Reads the header. Returns false if the file is too short.
bool read_header(const Fd& journal, WalHeader& header) {
  return journal && ::pread(journal.get(), header.data(), header.size(), 0) == ssize_t{kWalHeader};
}

bool has_damaged_header(const fs::path& store) {
  WalHeader header{}, wanted;
  const Fd journal(::open(journal_of(store).c_str(), O_RDONLY | O_CLOEXEC));
  if (!read_header(journal, header) || header == WalHeader{}) return false;
  wanted = header;
  complete_header(wanted);
  return wanted != header;
}

bool has_pods(const fs::path& store) {
  std::error_code failure;
  return fs::directory_iterator(store.parent_path() / "pods", failure) != fs::directory_iterator();
}

void restore_journal(const fs::path& store) {
  if (!has_damaged_header(store)) return;
  WalHeader header{};
  const Fd journal(::open(journal_of(store).c_str(), O_RDWR | O_CLOEXEC));
  if (!read_header(journal, header)) return;
  // Each frame repeats these two numbers, which distinguish this journal's frames from older ones.
  constexpr off_t kFirstFrame = kWalHeader, kSalts = 8;
  unsigned char salts[8];
  if (::pread(journal.get(), salts, sizeof salts, kFirstFrame + kSalts) == ssize_t{sizeof salts})
    std::memcpy(header.data() + 16, salts, sizeof salts);
  complete_header(header);
  [[maybe_unused]] const auto written = ::pwrite(journal.get(), header.data(), header.size(), 0);
}

void restore_database(const fs::path& store) {
  constexpr std::string_view kMagic("SQLite format 3\0", 16);
  constexpr unsigned char kPage[] = {
      kPageSize >> 8, kPageSize & 0xff, 2, 2, 0, 64, 32, 32};  // the bytes from offset 16
  constexpr unsigned char kSchema[] = {0, 0, 0, 4}, kUtf8[] = {0, 0, 0, 1};
  const Fd file(::open(store.c_str(), O_WRONLY | O_CLOEXEC));
  const auto put = [&](const void* bytes, size_t count, off_t at) {
    [[maybe_unused]] const auto written = ::pwrite(file.get(), bytes, count, at);
  };
  if (!file || (length_of(store) < kPageSize && length_of(journal_of(store)) == 0)) return;
  if (length_of(store) <
      kPageSize) {  // the journal has the first page, but SQLite only reads a journal beside a database
    if (::ftruncate(file.get(), kPageSize) != 0) return;
  }
  put(kMagic.data(), kMagic.size(), 0);
  put(kPage, sizeof kPage, 16);
  put(kSchema, sizeof kSchema, 44);
  put(kUtf8, sizeof kUtf8, 56);
}

}  // namespace

std::string damage_of_files(const fs::path& store) {
  if (has_damaged_header(store))
    return "the header of its journal is damaged, so SQLite would ignore the journal";
  std::error_code failure;
  const fs::file_status status = fs::status(store, failure);
  if (status.type() != fs::file_type::regular && status.type() != fs::file_type::not_found)
    return "it is not a file";
  if (length_of(store) > 0) return {};
  const std::string what = fs::exists(status) ? "it is empty" : "it is missing";
  if (length_of(journal_of(store)) > 0) return what + ", but its journal is not";
  return has_pods(store) ? what + ", but the folders of its jobs' pods exist" : "";
}

void restore_headers(const fs::path& store) {
  restore_database(store);
  restore_journal(store);
}

}  // namespace kml::local
