#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/sha256.h"

namespace kml {

std::string sha256_of_file(const std::filesystem::path& path) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) throw system_error("cannot read " + path.string(), errno);
  // The buffer is reused: most files are small, and allocating a buffer for each would take longer than
  // reading the file.
  thread_local std::string buffer(size_t{1} << 20, '\0');
  Sha256 sum;
  for (;;) {
    const ssize_t got = ::read(fd.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw system_error("cannot read " + path.string(), errno);
    if (got == 0) return sum.hex();
    sum.add(std::string_view(buffer.data(), static_cast<size_t>(got)));
  }
}

}  // namespace kml
