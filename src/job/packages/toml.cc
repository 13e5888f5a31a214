#include "job/packages/toml.h"

#include <algorithm>
#include <vector>

#include "kml/base/error.h"
#include "kml/base/text.h"

namespace kml::packages {

namespace {

constexpr int kDeepest = 50;

bool is_bare(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
}

void add_utf8(uint32_t code, std::string& text) {
  const auto byte = [&](uint32_t value) { text += static_cast<char>(value); };
  if (code < 0x80) return byte(code);
  if (code < 0x800) {
    byte(0xc0 | code >> 6);
  } else {
    if (code < 0x10000) {
      byte(0xe0 | code >> 12);
    } else {
      byte(0xf0 | code >> 18);
      byte(0x80 | (code >> 12 & 0x3f));
    }
    byte(0x80 | (code >> 6 & 0x3f));
  }
  byte(0x80 | (code & 0x3f));
}

class TomlReader {
 public:
  TomlReader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  Json read() {
    if (!is_utf8(text_)) fail("the file is not UTF-8");
    Json root = Json::object();
    Json* table = &root;
    for (skip_lines(); at_ < text_.size(); skip_lines()) {
      if (peek() == '[')
        table = header(root);
      else
        entry(*table);
      skip_spaces();
      skip_comment();
      if (at_ < text_.size() && peek() != '\n') fail("unexpected text after the value");
    }
    return root;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    const auto before = text_.substr(0, std::min(at_, text_.size()));
    Error error = usage_error("invalid TOML in " + file_);
    error.problems.push_back(
        {file_, 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n')), 0, "", what});
    throw error;
  }

  char peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool take(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  void require(std::string_view word) {
    if (!take(word)) fail("\"" + std::string(word) + "\" is missing");
  }
  void skip_spaces() {
    while (peek() == ' ' || peek() == '\t' || (peek() == '\r' && peek(1) == '\n')) ++at_;
  }
  void skip_comment() {
    if (peek() == '#') at_ = std::min(text_.find('\n', at_), text_.size());
  }
  void skip_lines() {
    for (;;) {
      skip_spaces();
      skip_comment();
      if (peek() != '\n') return;
      ++at_;
    }
  }

  std::vector<std::string> path() {
    std::vector<std::string> parts;
    do {
      skip_spaces();
      if (peek() == '"' || peek() == '\'') {
        parts.push_back(string());
      } else {
        const size_t begin = at_;
        while (is_bare(peek())) ++at_;
        if (at_ == begin) fail("a key is missing");
        parts.emplace_back(text_.substr(begin, at_ - begin));
      }
      skip_spaces();
    } while (take("."));
    return parts;
  }

  /// The table at the path; for a list of tables, its last one. Creates missing tables.
  Json* table_at(Json& root, const std::vector<std::string>& parts, size_t count) {
    Json* table = &root;
    for (size_t i = 0; i < count; ++i) {
      Json& next = (*table)[parts[i]];
      if (next.is_null()) next = Json::object();
      table = next.is_array() && !next.empty() ? &next.back() : &next;
      if (!table->is_object()) fail("\"" + parts[i] + "\" is not a table");
    }
    return table;
  }

  Json* header(Json& root) {
    const bool is_list = take("[[");
    if (!is_list) require("[");
    const std::vector<std::string> parts = path();
    require(is_list ? "]]" : "]");
    if (!is_list) return table_at(root, parts, parts.size());
    Json& list = (*table_at(root, parts, parts.size() - 1))[parts.back()];
    if (list.is_null()) list = Json::array();
    if (!list.is_array()) fail("\"" + parts.back() + "\" is not a list of tables");
    list.push_back(Json::object());
    return &list.back();
  }

  void entry(Json& table) {
    const std::vector<std::string> parts = path();
    require("=");
    Json& place = (*table_at(table, parts, parts.size() - 1))[parts.back()];
    if (!place.is_null()) fail("\"" + parts.back() + "\" is given twice");
    place = value();
  }

  Json value() {
    skip_spaces();
    if (++depth_ > kDeepest) fail("the value has too many levels");
    Json result;
    if (peek() == '"' || peek() == '\'')
      result = string();
    else if (take("["))
      result = list();
    else if (take("{"))
      result = inline_table();
    else
      result = plain();
    --depth_;
    return result;
  }

  Json list() {
    Json items = Json::array();
    for (skip_lines(); !take("]"); skip_lines()) {
      items.push_back(value());
      skip_lines();
      if (!take(",") && peek() != ']') fail("\",\" or \"]\" is missing");
    }
    return items;
  }

  Json inline_table() {
    Json table = Json::object();
    for (skip_lines(); !take("}"); skip_lines()) {
      entry(table);
      skip_lines();
      if (!take(",") && peek() != '}') fail("\",\" or \"}\" is missing");
    }
    return table;
  }

  /// A number, a date or a boolean.
  std::string plain() {
    const size_t end = std::min(text_.find_first_of(",]}#\r\n", at_), text_.size());
    const std::string_view word = trim(text_.substr(at_, end - at_));
    if (word.empty()) fail("the value is missing");
    at_ = end;
    return std::string(word);
  }

  std::string string() {
    const char quote = peek();
    const std::string three(3, quote);
    const bool has_lines = take(three);
    if (!has_lines) ++at_;
    if (has_lines && !take("\r\n")) take("\n");
    std::string result;
    for (;;) {
      if (at_ >= text_.size() || (!has_lines && peek() == '\n')) fail("the string has no end");
      if (has_lines ? text_.substr(at_).starts_with(three) : peek() == quote) break;
      if (quote == '"' && peek() == '\\')
        escape(result, has_lines);
      else
        result += text_[at_++];
    }
    at_ += has_lines ? 3 : 1;
    for (int i = 0; has_lines && i < 2 && peek() == quote; ++i) result += text_[at_++];
    return result;
  }

  void escape(std::string& result, bool has_lines) {
    ++at_;
    const char letter = peek();
    constexpr std::string_view kLetters = "btnfr\"\\", kMeaning = "\b\t\n\f\r\"\\";
    if (const size_t known = kLetters.find(letter); known != std::string_view::npos && letter != '\0') {
      result += kMeaning[known];
      ++at_;
    } else if (letter == 'u' || letter == 'U') {
      const size_t digits = letter == 'u' ? 4 : 8;
      const std::string hex(text_.substr(std::min(at_ + 1, text_.size()), digits));
      if (hex.size() != digits || hex.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos)
        fail("invalid \\" + std::string(1, letter));
      constexpr int kHex = 16;
      const auto code = static_cast<uint32_t>(std::stoul(hex, nullptr, kHex));
      if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) fail("invalid \\" + std::string(1, letter));
      add_utf8(code, result);
      at_ += 1 + digits;
    } else if (has_lines && (letter == '\n' || letter == ' ' || letter == '\t' || letter == '\r')) {
      while (peek() == '\n' || peek() == ' ' || peek() == '\t' || peek() == '\r') ++at_;
    } else {
      fail("invalid escape \\" + std::string(1, letter));
    }
  }

  std::string_view text_;
  const std::string& file_;
  size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Json read_toml(std::string_view text, const std::string& file) {
  return TomlReader(text, file).read();
}

}  // namespace kml::packages
