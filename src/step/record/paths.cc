#include "step/record/paths.h"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <climits>
#include <cstdint>

namespace kml::step {

namespace {

/// As many links as the kernel follows (path_resolution(7)).
constexpr int kMostLinks = 40;

void remove_last(std::string& path) {
  const size_t slash = path.rfind('/');
  path.resize(slash == std::string::npos ? 0 : slash);
}

}  // namespace

std::string link_target(const std::string& path) {
  char target[PATH_MAX];
  const ssize_t size = ::readlink(path.c_str(), target, sizeof target);
  return size < 0 ? std::string() : std::string(target, static_cast<size_t>(size));
}

std::string Paths::real(int thread, const std::string& folder, std::string_view path, bool follows,
                        std::vector<std::string>& links) {
  std::string at = path.starts_with('/') || folder == "/" ? std::string() : folder;
  std::string rest(path);
  for (int count = 0; !rest.empty();) {
    const size_t slash = rest.find('/');
    const std::string name = rest.substr(0, slash);
    // a slash at the end means that a link there is followed
    const bool is_last = slash == std::string::npos;
    rest.erase(0, is_last ? rest.size() : slash + 1);
    if (name.empty() || name == ".") continue;
    if (name == "..") {
      remove_last(at);
      continue;
    }
    if (at == "/proc" && (name == "self" || name == "thread-self")) {
      at += "/" + std::to_string(thread);
      continue;
    }
    at += "/" + name;
    if ((is_last && !follows) || plain_.contains(at)) continue;
    const std::string target = link_target(at);
    if (target.empty()) {
      if (!is_last) plain_.insert(at);
      continue;
    }
    links.push_back(at);
    if (++count > kMostLinks) break;
    if (at.starts_with("/proc/") && !target.starts_with('/')) break;  // a pipe or a socket
    rest = is_last ? target : target + "/" + rest;
    target.starts_with('/') ? at.clear() : remove_last(at);
  }
  return at.empty() ? "/" : at;
}

bool read_bytes(int thread, unsigned long long address, void* bytes, size_t size) {
  const iovec to{bytes, size}, from{std::bit_cast<void*>(static_cast<std::uintptr_t>(address)), size};
  return ::process_vm_readv(thread, &to, 1, &from, 1, 0) == static_cast<ssize_t>(size);
}

/// Reads up to the end of a page at a time, because the next page may not exist.
bool read_text(int thread, unsigned long long address, std::string& text) {
  constexpr size_t kPage = 4096;
  text.clear();
  char bytes[kPage];
  while (text.size() <= PATH_MAX) {
    const size_t size = kPage - address % kPage;
    if (!read_bytes(thread, address, bytes, size)) return false;
    const char* end = std::find(bytes, bytes + size, '\0');
    text.append(bytes, static_cast<size_t>(end - bytes));
    if (end != bytes + size) return true;
    address += size;
  }
  return false;
}

}  // namespace kml::step
