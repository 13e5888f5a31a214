#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kml::live {

enum class KeyKind {
  text,     ///< a character, in Key::text
  paste,    ///< text that the user pasted, in Key::text, without control characters
  control,  ///< Ctrl with the letter in Key::text, such as "c"
  enter,
  escape,
  tab,
  backspace,
  erase,
  up,
  down,
  left,
  right,
  home,
  end,
  page_up,
  page_down,
};

struct Key {
  KeyKind kind = KeyKind::text;
  std::string text = {};
  bool operator==(const Key&) const = default;

  bool is(std::string_view character) const { return kind == KeyKind::text && text == character; }
  bool is_control(std::string_view letter) const { return kind == KeyKind::control && text == letter; }
};

/// Turns the bytes that a terminal sends into keys. Skips unknown sequences. Pasted text is one key, because
/// its characters must not act as commands. The terminal marks it in the mode "bracketed paste", ESC [ ? 2004
/// h.
class KeyReader {
 public:
  std::vector<Key> read(std::string_view bytes);
  /// Whether the start of a sequence or of a character has arrived. A lone Escape may also be the key itself.
  bool waits() const { return !pasted_ && !rest_.empty(); }
  /// Call this when nothing more arrives: an Escape character was then the Escape key.
  std::vector<Key> end();

 private:
  size_t take_pasted(std::string_view here, std::vector<Key>& keys);

  std::string rest_;
  std::optional<std::string> pasted_;  ///< the start of a pasted text whose end has not arrived
};

}  // namespace kml::live
