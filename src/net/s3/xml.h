#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kml::s3 {

/// The contents of the first `most` elements <tag>…</tag> in a text. Does not resolve tags and references in
/// them. Suitable for S3's responses, in which elements with the same name are never nested. The time needed
/// is proportional to the length of the text.
std::vector<std::string_view> xml_elements(std::string_view xml, std::string_view tag, size_t most);

/// The text of the first element with that name, with references resolved; empty if there is no such element.
std::string xml_text(std::string_view xml, std::string_view tag);

}  // namespace kml::s3
