#pragma once

#include <string>
#include <string_view>

namespace kml::step {

inline constexpr int kCannot = 125, kInputGone = 124;

/// Prints "kml-step: TEXT" to standard error, and ends the process.
[[noreturn]] void give_up(const std::string& text, int exit_code = kCannot);
/// Like give_up(), but adds the reason in errno.
[[noreturn]] void give_up_by_errno(const std::string& text, int exit_code = kCannot);

/// Writes all bytes. Returns false on failure.
bool write_all(int fd, std::string_view bytes);
/// Reads a file. If it cannot be read, returns false and sets errno. Exits with a message if it is larger
/// than `limit` bytes.
bool read_all(const std::string& path, size_t limit, std::string& bytes);

/// "4.2 MiB".
std::string in_mib(unsigned long long bytes);

}  // namespace kml::step
