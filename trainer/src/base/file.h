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

/// Writes all of `bytes`, whatever the number of write(2) calls it takes. Throws std::system_error.
void write_all(int fd, std::string_view bytes);

/// Whether a file ends within a line, as after a crash on a full disk. False for what is no regular file.
bool ends_within_line(int fd);

/// Replaces `path` by `bytes` so that after a crash or a full disk at any moment the file is either the old
/// or the new one, whole, and after a return the new one is on disk: temporary file beside it, fsync, rename,
/// fsync of the folder. Throws std::system_error, and then leaves no temporary file behind.
void replace_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace trainer
