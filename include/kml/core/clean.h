#pragma once

#include <array>
#include <string>
#include <string_view>

namespace kml {

/// Makes text from a pod or a server safe to show on a terminal: of all escape sequences only SGR (colours)
/// stays. Other CSI, OSC (clipboard, title), DCS, APC, PM, SOS, control characters except tab and newline,
/// and the C1 controls, in 8 bits and as UTF-8, are dropped; invalid UTF-8 becomes U+FFFD. Of text that a
/// lone carriage return rewrites, as progress bars do, the last version stays.
///
/// The text may come in pieces, cut anywhere. Memory is bounded whatever it holds.
class Cleaner {
 public:
  /// Appends what is safe.
  void add(std::string_view text, std::string& out);
  /// The text ends: a sequence that was begun is dropped, and another text may begin.
  void end(std::string& out);

 private:
  enum class State { text, escape, intermediate, csi, string, string_c2 };
  bool step(unsigned char c, std::string& out);
  void text_step(unsigned char c, std::string& out);
  bool utf8_step(unsigned char c, std::string& out);
  void control(unsigned char kind);
  bool csi_step(unsigned char c, std::string& out);

  State state_ = State::text;
  bool rewrites_ = false;          ///< a carriage return came, which counts once other text follows
  std::array<char, 4> held_ = {};  ///< the begun UTF-8 character
  size_t held_size_ = 0, held_length_ = 0;
  std::string parameters_;  ///< of the begun CSI
  size_t line_start_ = 0;   ///< in `out`
};

/// The same for a whole text.
std::string clean(std::string_view text);

/// Without a terminal's control sequences (CSI, ECMA-48 section 5.4): colours, cleared lines. One that is
/// cut off at the end is taken away too.
std::string without_colours(std::string_view text);

}  // namespace kml
