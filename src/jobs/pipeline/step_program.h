#pragma once

#include <string>
#include <string_view>

namespace kml::jobs {

/// kml-step as a gzip-compressed tar archive, which embed_step.cmake makes.
std::string_view packed_step_program();

/// kml-step itself: an ELF program for the processors that kml was built for.
const std::string& step_program();

}  // namespace kml::jobs
