#pragma once

// defines: kInputMissing, kInputChanged: the words that follow "kml-step: input NAME" when kml-step reports
// that an input does not exist or has changed. kml makes such an input again, so both programs need the same
// words.

namespace kml {

inline constexpr const char* kInputMissing = " is missing: ";
inline constexpr const char* kInputChanged = " was changed: ";

}  // namespace kml
