#pragma once

// defines: kInputMissing, kInputChanged: the words with which kml-step reports, after "kml-step: input NAME",
// an input that does not exist or has other content. kml makes such an input again, so both programs need the
// same words.

namespace kml {

inline constexpr const char* kInputMissing = " is missing: ";
inline constexpr const char* kInputChanged = " was changed: ";

}  // namespace kml
