#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace trainer {

/// An owned file descriptor.
class Fd {
 public:
  explicit Fd(int fd = -1) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(other.release()) {}
  Fd& operator=(Fd&& other) noexcept;
  ~Fd();

  int get() const { return fd_; }
  int release();

 private:
  int fd_;
};

/// The bytes of a file. Throws std::system_error.
std::vector<uint8_t> read_file(const std::filesystem::path& path);

/// Writes all bytes, with as many calls of write(2) as needed. Throws std::system_error.
void write_all(int fd, std::string_view bytes);

/// Whether a file ends with an incomplete line, as after a crash on a full disk. False for anything but a
/// regular file.
bool ends_within_line(int fd);

/// Replaces `path` by `bytes`. If the program crashes or the disk becomes full at any moment, the file has
/// either all of its old bytes or all of its new ones. After a return, the new bytes are on disk. Writes and
/// syncs a temporary file in the same folder, renames it, and syncs the folder. On failure, throws
/// std::system_error, and leaves no temporary file.
void replace_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace trainer
