#include "local/shim/kernel_file.h"

#include <fcntl.h>
#include <unistd.h>

#include "kml/core/files.h"

namespace kml::local {

std::string read_kernel_file(const std::filesystem::path& path) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  char buffer[1 << 14];
  for (ssize_t got; file && (got = ::read(file.get(), buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<size_t>(got));
  return text;
}

}  // namespace kml::local
