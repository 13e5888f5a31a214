#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace trainer {

/// The images of an IDX file (http://yann.lecun.com/exdb/mnist: magic number 0x00000803, count, rows,
/// columns, each as 32 bits big-endian, then a byte for each pixel).
struct Images {
  uint32_t count = 0;
  uint32_t rows = 0;
  uint32_t columns = 0;
  std::vector<uint8_t> file;  ///< the whole file; the pixels begin after the header of 16 bytes

  uint32_t pixels() const { return rows * columns; }  ///< number of pixels in one image
  const uint8_t* image(uint32_t index) const { return file.data() + 16 + size_t{index} * pixels(); }
};

/// The labels of an IDX file (magic number 0x00000801, count, then a byte for each label).
struct Labels {
  uint32_t count = 0;
  std::vector<uint8_t> file;  ///< the whole file; the labels begin after the header of 8 bytes

  uint8_t operator[](uint32_t index) const { return file[8 + index]; }
  std::span<const uint8_t> all() const { return std::span(file).subspan(8); }
};

/// These functions read and check a whole file, which may be compressed by gzip. If the path does not exist,
/// they read the path with ".gz" appended. They throw an Error, with the file and what was expected, if it is
/// missing, empty, damaged, of another kind, or shorter or longer than its header says.
Images read_images(const std::filesystem::path& path);
Labels read_labels(const std::filesystem::path& path);

}  // namespace trainer
