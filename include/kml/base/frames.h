#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// defines: Frames, append_frames, read_frames, append_base64. Uses no exceptions, because kml-step is linked
// without support for them.

namespace kml {

/// The prefix of log lines that contain bytes:
///
///     ::kml-step:ID 0/3                    only the prefix; may be at the end of an unfinished line
///     ::kml-step:ID 1/3 CRC32 BASE64
///     ::kml-step:ID 2/3 CRC32 BASE64
///     ::kml-step:ID 3/3 CRC32 BASE64
///
/// ID is the first 16 digits of the SHA-256 of all bytes. Container runtimes cut lines at 16 KiB, so these
/// lines are shorter.
inline constexpr std::string_view kFrameMark = "::kml-step:";

/// Describes the frames for readers, in the form "3 BYTES SHA256". A container's termination message contains
/// it as the line `kml-step 3 BYTES SHA256`.
struct Frames {
  size_t count = 0;  ///< the number of lines, not including line 0
  size_t bytes = 0;
  std::string sha256;
};
inline constexpr std::string_view kFramesNote = "kml-step ";

std::string frames_note(const Frames& frames);
/// Finds the last line from frames_note() in the text, and parses it. Returns false if the text has no such
/// line.
bool find_frames_note(std::string_view text, Frames& frames);

Frames append_frames(std::string_view bytes, std::string& out);

/// Reads the bytes from a log, or from the last lines of one, and skips other lines. Returns null if the
/// bytes are complete, otherwise the fault: "a line is damaged".
const char* read_frames(std::string_view log, const Frames& frames, std::string& bytes);

/// Appends the bytes in base64 (RFC 4648) with padding.
void append_base64(std::string_view bytes, std::string& out);

}  // namespace kml
