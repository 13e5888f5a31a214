#include "net/fetch/content.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/sha1.h"

namespace kml::fetch {

namespace {

std::string hex_of(std::string_view bytes) {
  std::string text;
  for (const unsigned char c : bytes) text += fmt::format("{:02x}", c);
  return text;
}

}  // namespace

void Content::add(std::string_view bytes) {
  size_ += bytes.size();
  if (!expected_.sha256.empty())
    hash_.add(bytes);
  else if (!expected_.git_id.empty() && size_ <= kLargestInGit)
    bytes_ += bytes;
}

/// https://git-scm.com/book/en/v2/Git-Internals-Git-Objects: the id of a blob
bool Content::is_right() const {
  if (expected_.size && size_ != *expected_.size) return false;
  if (!expected_.sha256.empty()) return hash_.hex() == expected_.sha256;
  if (expected_.git_id.empty()) return true;
  return size_ == bytes_.size() &&
         hex_of(sha1("blob " + std::to_string(size_) + std::string(1, '\0') + bytes_)) == expected_.git_id;
}

bool has_content(const std::filesystem::path& file, const Expected& expected) {
  const Fd fd(::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!fd) return false;
  Content content(expected);
  std::string piece(size_t{1} << 20, '\0');
  for (;;) {
    const ssize_t got = ::read(fd.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return false;
    if (got == 0) return content.is_right();
    content.add({piece.data(), static_cast<size_t>(got)});
  }
}

}  // namespace kml::fetch
