#pragma once

#include <string>
#include <string_view>

namespace kml::jobs {

/// kml-step and kml-step-s3 as gzip-compressed tar archives, which embed_step.cmake makes.
std::string_view packed_step_program();
std::string_view packed_s3_program();

/// kml-step itself: an ELF program for the processors that kml was built for.
const std::string& step_program();

}  // namespace kml::jobs
