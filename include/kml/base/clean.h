#pragma once

#include <array>
#include <string>
#include <string_view>

namespace kml {

/// Makes text from a pod or a server safe to show on a terminal. Keeps SGR sequences (colors) and removes all
/// other escape sequences: CSI, OSC (clipboard, title), DCS, APC, PM and SOS. Also removes control
/// characters, except tab and newline, and C1 controls, both as 8-bit bytes and as UTF-8. Replaces invalid
/// UTF-8 by U+FFFD. If a line is rewritten after a carriage return, as by a progress bar, only keeps its last
/// version, but what an earlier call of add() has appended stays. The text may arrive in pieces that end
/// anywhere. Memory use is limited, whatever the input is.
class Cleaner {
 public:
  /// Appends the safe part of `text` to `out`.
  void add(std::string_view text, std::string& out);
  /// Ends the text, and drops an incomplete escape sequence. Another text may follow.
  void end(std::string& out);

 private:
  enum class State { text, escape, intermediate, csi, string, string_c2 };
  bool step(unsigned char c, std::string& out);
  void text_step(unsigned char c, std::string& out);
  bool utf8_step(unsigned char c, std::string& out);
  void control(unsigned char kind);
  bool csi_step(unsigned char c, std::string& out);

  State state_ = State::text;
  bool rewrites_ = false;          ///< a carriage return was read, which takes effect if more text follows
  std::array<char, 4> held_ = {};  ///< an incomplete UTF-8 character
  size_t held_size_ = 0, held_length_ = 0;
  std::string parameters_;  ///< the parameters of an incomplete CSI sequence
  size_t line_start_ = 0;   ///< where the current line starts in `out`
};

/// Cleans a whole text.
std::string clean(std::string_view text);

/// Removes CSI sequences (ECMA-48 section 5.4), such as colors and line erasures. Also removes an incomplete
/// sequence at the end.
std::string without_colours(std::string_view text);

}  // namespace kml
