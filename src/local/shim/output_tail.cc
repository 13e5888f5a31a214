#include "local/shim/output_tail.h"

namespace kml::local {

namespace {

constexpr size_t kMostBytes = 2048;
constexpr int kMostLines = 80;

}  // namespace

void OutputTail::add(std::string_view bytes) {
  end_ += bytes;
  if (end_.size() > kMostBytes) end_.erase(0, end_.size() - kMostBytes);
}

std::string OutputTail::text() const {
  size_t begin = end_.size();
  for (int lines = 0; begin > 0; --begin)
    if (end_[begin - 1] == '\n' && begin < end_.size() && ++lines == kMostLines) break;
  return end_.substr(begin);
}

}  // namespace kml::local
