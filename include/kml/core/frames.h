#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// defines: Frames, append_frames, read_frames, append_base64. Without exceptions, as kml-step is linked
// without them.

namespace kml {

/// Begins each line of a log that carries bytes:
///
///     ::kml-step:ID 0/3                    nothing but the beginning: it may follow a line without newline
///     ::kml-step:ID 1/3 CRC32 BASE64
///     ::kml-step:ID 2/3 CRC32 BASE64
///     ::kml-step:ID 3/3 CRC32 BASE64
///
/// ID are the first 16 digits of the SHA-256 of all bytes. Lines are shorter than the 16 KiB at which
/// container runtimes cut them.
inline constexpr std::string_view kFrameMark = "::kml-step:";

/// What has to be known to find them: "3 BYTES SHA256", and as `kml-step 3 BYTES SHA256` a line of a
/// container's termination message.
struct Frames {
  size_t count = 0;  ///< without the first line
  size_t bytes = 0;
  std::string sha256;
};
inline constexpr std::string_view kFramesNote = "kml-step ";

std::string frames_note(const Frames& frames);
/// Of the last such line of a text; false if it has none.
bool find_frames_note(std::string_view text, Frames& frames);

Frames append_frames(std::string_view bytes, std::string& out);

/// The bytes, out of a log, or its last lines. Null if all is there, else what is wrong: "a line is damaged".
/// Other lines are passed over.
const char* read_frames(std::string_view log, const Frames& frames, std::string& bytes);

/// RFC 4648, with padding.
void append_base64(std::string_view bytes, std::string& out);

}  // namespace kml
