#pragma once

// defines: kInputMissing, kInputChanged: the words by which kml-step reports, after "kml-step: input NAME",
// an input that is not there or has another content. kml makes such an input again, so both programs need the
// same words.

namespace kml {

inline constexpr const char* kInputMissing = " is missing: ";
inline constexpr const char* kInputChanged = " was changed: ";

}  // namespace kml
