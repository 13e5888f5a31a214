#pragma once

#include <array>
#include <string>
#include <string_view>

namespace kml {

/// Makes text from a pod or a server safe to show on a terminal: keeps SGR (colours) and drops all other
/// escape sequences: CSI, OSC (clipboard, title), DCS, APC, PM and SOS. Also drops control characters except
/// tab and newline, and the C1 controls, as 8-bit bytes and as UTF-8. Invalid UTF-8 becomes U+FFFD. Where a
/// lone carriage return rewrites a line, as progress bars do, only the last version stays.
///
/// The text may come in pieces, cut anywhere. Memory use is bounded for any input.
class Cleaner {
 public:
  /// Appends the safe part of `text` to `out`.
  void add(std::string_view text, std::string& out);
  /// Ends the text and drops an unfinished sequence. Another text may follow.
  void end(std::string& out);

 private:
  enum class State { text, escape, intermediate, csi, string, string_c2 };
  bool step(unsigned char c, std::string& out);
  void text_step(unsigned char c, std::string& out);
  bool utf8_step(unsigned char c, std::string& out);
  void control(unsigned char kind);
  bool csi_step(unsigned char c, std::string& out);

  State state_ = State::text;
  bool rewrites_ = false;          ///< a carriage return came; it takes effect when more text follows
  std::array<char, 4> held_ = {};  ///< the unfinished UTF-8 character
  size_t held_size_ = 0, held_length_ = 0;
  std::string parameters_;  ///< of the unfinished CSI
  size_t line_start_ = 0;   ///< in `out`
};

/// Cleans a whole text.
std::string clean(std::string_view text);

/// The text without CSI sequences (ECMA-48 section 5.4): colours, cleared lines. Removes one that is cut off
/// at the end, too.
std::string without_colours(std::string_view text);

}  // namespace kml
