#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kml::s3 {

/// The content of each <tag>…</tag> in a text, without resolving tags and references in it. Suitable for S3's
/// responses, in which elements of one name are never nested. Takes time in proportion to the text. Returns
/// the first `most` of them.
std::vector<std::string_view> xml_elements(std::string_view xml, std::string_view tag, size_t most);

/// The text of the first element with that name, with references resolved; empty if there is none.
std::string xml_text(std::string_view xml, std::string_view tag);

}  // namespace kml::s3
