#include "step/record/paths.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <climits>
#include <cstdint>
#include <cstring>

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

std::string interpreter_of(const std::string& program) {
  const int fd = ::open(program.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return {};
  char head[4096] = {};
  const ssize_t size = ::read(fd, head, sizeof head - 1);
  ::close(fd);
  if (size > 2 && head[0] == '#' && head[1] == '!') {
    const char* begin = head + 2 + std::strspn(head + 2, " \t");
    return {begin, std::strcspn(begin, " \t\n")};
  }
  Elf64_Ehdr elf;
  std::memcpy(&elf, head, sizeof elf);
  if (size < static_cast<ssize_t>(sizeof elf) || std::memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0) return {};
  for (size_t i = 0; i < elf.e_phnum; ++i) {
    Elf64_Phdr part;
    const size_t at = elf.e_phoff + i * sizeof part;
    if (at + sizeof part > sizeof head) break;
    std::memcpy(&part, head + at, sizeof part);
    if (part.p_type == PT_INTERP && part.p_offset < sizeof head) return head + part.p_offset;
  }
  return {};
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
