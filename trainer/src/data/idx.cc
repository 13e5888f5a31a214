#include "data/idx.h"

#include <system_error>

#include "base/error.h"
#include "base/file.h"
#include "data/gunzip.h"

namespace trainer {

namespace {

constexpr uint32_t kImagesMagic = 0x00000803, kLabelsMagic = 0x00000801;
constexpr size_t kLargestUnpacked = size_t{1} << 30;  // 20 times MNIST
const char* const kFix = "trainer/get-mnist FOLDER downloads the four files of MNIST and checks them";

uint32_t big_endian(const std::vector<uint8_t>& bytes, size_t at) {
  return uint32_t{bytes[at]} << 24 | uint32_t{bytes[at + 1]} << 16 | uint32_t{bytes[at + 2]} << 8 |
         bytes[at + 3];
}

[[noreturn]] void bad_file(const std::filesystem::path& path, const std::string& why) {
  throw Error("cannot use " + path.string(), why, kFix);
}

/// The content of the file or, if only the compressed file exists, the decompressed content of that.
std::vector<uint8_t> read(const std::filesystem::path& path) try {
  const std::filesystem::path packed = path.string() + ".gz";
  const bool is_packed = !std::filesystem::exists(path) && std::filesystem::exists(packed);
  std::vector<uint8_t> bytes = read_file(is_packed ? packed : path);
  try {
    return is_gzip(bytes) ? gunzip(bytes, kLargestUnpacked) : bytes;
  } catch (const DamagedGzip& damage) {
    bad_file(is_packed ? packed : path, damage.what());
  }
} catch (const std::system_error& error) {
  throw Error("cannot read the data file " + path.string(), errno_text(error.code().value()), kFix);
}

void check_header(const std::filesystem::path& path, const std::vector<uint8_t>& file, size_t header_size,
                  uint32_t magic, const char* kind) {
  if (file.size() < header_size) {
    bad_file(path, "it has " + std::to_string(file.size()) + " bytes; an IDX file of " + kind +
                       " has a header of " + std::to_string(header_size));
  }
  if (const uint32_t found = big_endian(file, 0); found != magic) {
    char text[120];
    snprintf(text, sizeof text, "it begins with 0x%08x; an IDX file of %s begins with 0x%08x", found, kind,
             magic);
    bad_file(path, text);
  }
  if (big_endian(file, 4) == 0) bad_file(path, std::string("according to its header, it has no ") + kind);
}

void check_size(const std::filesystem::path& path, const std::vector<uint8_t>& file, uint64_t expected) {
  if (file.size() == expected) return;
  bad_file(path, std::string(file.size() < expected ? "it is cut short" : "it is too long") + ": it has " +
                     std::to_string(file.size()) + " bytes, but according to its header " +
                     std::to_string(expected));
}

}  // namespace

Images read_images(const std::filesystem::path& path) {
  Images images;
  images.file = read(path);
  check_header(path, images.file, 16, kImagesMagic, "images");
  images.count = big_endian(images.file, 4);
  images.rows = big_endian(images.file, 8);
  images.columns = big_endian(images.file, 12);
  // A 16-bit pixel index (sparse.h) limits images to 256 x 256.
  if (images.rows < 1 || images.rows > 256 || images.columns < 1 || images.columns > 256) {
    bad_file(path, "its images are " + std::to_string(images.rows) + " x " + std::to_string(images.columns) +
                       " pixels; 1 to 256 in each direction are supported");
  }
  check_size(path, images.file, 16 + uint64_t{images.count} * images.pixels());
  return images;
}

Labels read_labels(const std::filesystem::path& path) {
  Labels labels;
  labels.file = read(path);
  check_header(path, labels.file, 8, kLabelsMagic, "labels");
  labels.count = big_endian(labels.file, 4);
  check_size(path, labels.file, 8 + uint64_t{labels.count});
  return labels;
}

}  // namespace trainer
