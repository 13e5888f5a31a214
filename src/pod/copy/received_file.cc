#include "pod/copy/received_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "kml/base/text.h"
#include "pod/copy/common.h"

namespace kml::pod {

namespace {

/// Longer than the mark and the sum together.
constexpr size_t kLastBytes = 1024;

std::uintmax_t size_of_file(int fd) {
  struct stat at {};
  return ::fstat(fd, &at) == 0 ? static_cast<std::uintmax_t>(at.st_size) : 0;
}

}  // namespace

ReceivedFile::ReceivedFile(Beneath& folder, const std::string& path, SumTool tool, std::uintmax_t whole)
    : path_(path), part_(folder.open_part(path)), sum_(tool) {
  read_kept(whole);
  if (::ftruncate(part_.get(), static_cast<off_t>(size_)) != 0)
    throw system_error("cannot write " + path_, errno);
}

std::uintmax_t ReceivedFile::size_of(Beneath& folder, const std::string& path) {
  return size_of_file(folder.open_part(path).get());
}

void ReceivedFile::read_kept(std::uintmax_t whole) {
  const std::uintmax_t found = size_of_file(part_.get()),
                       kept = found > whole ? 0 : found - found % kCopyBlock;
  std::string buffer(kCopyBlock, '\0');
  while (size_ < kept) {
    const ssize_t got = ::read(part_.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw system_error("cannot read the received part of " + path_, got < 0 ? errno : EIO);
    sum_.add(std::string_view(buffer).substr(0, static_cast<size_t>(got)));
    size_ += static_cast<std::uintmax_t>(got);
  }
}

void ReceivedFile::add(std::string_view bytes) {
  sum_.add(bytes);
  size_ += bytes.size();
  if (!write_whole(part_.get(), bytes))
    throw system_error("cannot write " + path_, errno, "free up space there, then run the command again");
}

MarkedStream::MarkedStream(std::uintmax_t size, std::function<void(std::string_view)> take)
    : left_(size), take_(std::move(take)), mark_("kml-" + random_hex(16)) {}

void MarkedStream::feed(std::string_view bytes) {
  const auto taken = static_cast<size_t>(std::min<std::uintmax_t>(left_, bytes.size()));
  if (taken > 0) take_(bytes.substr(0, taken));
  left_ -= taken;
  last_ += bytes.substr(bytes.size() - std::min(bytes.size(), kLastBytes));
  if (last_.size() > 2 * kLastBytes) last_.erase(0, last_.size() - kLastBytes);
}

std::optional<std::string> MarkedStream::line_after_mark() const {
  const std::string before = "\n" + mark_ + " ";
  const size_t at = last_.rfind(before);
  if (at == std::string::npos || !last_.ends_with('\n')) return {};
  const size_t begin = at + before.size();
  return last_.substr(begin, last_.size() - 1 - begin);
}

}  // namespace kml::pod
