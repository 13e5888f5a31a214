#include "local/services/http_messages.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "kml/base/text.h"

namespace kml::local {

namespace {

/// A longer line is cut. The headers that matter are shorter.
constexpr size_t kLongestLine = 16 << 10;

std::string_view without_spaces(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\t') || text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

}  // namespace

void HttpMessages::take(std::string_view bytes) {
  while (!bytes.empty()) switch (part_) {
      case Part::body:
      case Part::chunk: skip(bytes); break;
      case Part::rest: return;
      default: take_line(bytes);
    }
}

void HttpMessages::take_line(std::string_view& bytes) {
  const size_t end = bytes.find('\n');
  const std::string_view piece = bytes.substr(0, end);
  line_ += piece.substr(0, kLongestLine - std::min(kLongestLine, line_.size()));
  bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
  if (end == std::string_view::npos) return;
  on_line(without_spaces(std::exchange(line_, {})));
}

void HttpMessages::skip(std::string_view& bytes) {
  const size_t count = std::min<uint64_t>(left_, bytes.size());
  bytes.remove_prefix(count);
  left_ -= count;
  if (left_ > 0) return;
  if (part_ == Part::body) return end();
  part_ = Part::chunk_size;
}

void HttpMessages::on_line(std::string_view line) {
  if (part_ == Part::chunk_size) return on_chunk_size(line);
  if (part_ == Part::trailer) return line.empty() ? end() : void();
  if (head_.first_line.empty())
    head_.first_line = line;  // a client may send an empty line between two requests
  else if (line.empty())
    begin(events_.head(head_));
  else
    on_head_line(line);
}

void HttpMessages::on_head_line(std::string_view line) {
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos) return;
  const std::string name = lower(line.substr(0, colon));
  const std::string_view value = without_spaces(line.substr(colon + 1));
  if (name == "content-length") {
    head_.has_length =
        std::from_chars(value.data(), value.data() + value.size(), head_.length).ec == std::errc();
  } else if (name == "transfer-encoding") {
    head_.has_encoding = true;
    head_.is_chunked = lower(value).ends_with("chunked");
  }
}

void HttpMessages::on_chunk_size(std::string_view line) {
  uint64_t size = 0;
  if (std::from_chars(line.data(), line.data() + line.size(), size, 16).ec != std::errc()) {
    part_ = Part::rest;
    return;
  }
  part_ = size == 0 ? Part::trailer : Part::chunk;
  left_ = size + 2;
}

void HttpMessages::begin(Body body) {
  left_ = head_.length;
  switch (body) {
    case Body::none: return end();
    case Body::by_length: part_ = Part::body; return left_ == 0 ? end() : void();
    case Body::by_chunks: part_ = Part::chunk_size; return;
    case Body::with_connection: part_ = Part::rest; return;
  }
}

void HttpMessages::end() {
  part_ = Part::head;
  head_ = {};
  events_.end();
}

}  // namespace kml::local
