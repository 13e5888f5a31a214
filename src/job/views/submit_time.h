#pragma once

namespace kml::job {

/// The annotation with the time at which kml submitted the job, as a metav1.MicroTime. The creation time that
/// the API stores only has whole seconds.
inline constexpr const char* kSubmitted = "kml.dev/submitted";

}  // namespace kml::job
