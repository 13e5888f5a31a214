#pragma once

namespace kml::job {

/// The annotation of a job with the time at which kml submitted it, a metav1.MicroTime. The API's own
/// creation time has whole seconds.
inline constexpr const char* kSubmitted = "kml.dev/submitted";

}  // namespace kml::job
