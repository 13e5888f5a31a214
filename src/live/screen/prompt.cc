#include "live/screen/prompt.h"

namespace kml::live {

namespace {

constexpr size_t kLongestAnswer = 200;

/// Removes the last character of a UTF-8 text.
void drop_last(std::string& text) {
  while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0) == 0x80) text.pop_back();
  if (!text.empty()) text.pop_back();
}

}  // namespace

Prompt::Result Prompt::take(const Key& key) {
  // A paste does not answer a question.
  if (kind == Kind::question && key.kind == KeyKind::paste) return Result::typing;
  if (kind == Kind::question) return key.is("y") || key.is("Y") ? Result::done : Result::given_up;
  switch (key.kind) {
    case KeyKind::enter: return Result::done;
    case KeyKind::escape: return Result::given_up;
    case KeyKind::backspace:
      if (text.empty()) return Result::given_up;
      drop_last(text);
      return Result::typing;
    case KeyKind::control:
      if (key.is_control("c")) return Result::given_up;
      if (key.is_control("u")) text.clear();
      return Result::typing;
    case KeyKind::text:
    case KeyKind::paste:
      text += key.text;
      while (text.size() > kLongestAnswer) drop_last(text);
      return Result::typing;
    default: return Result::typing;
  }
}

}  // namespace kml::live
