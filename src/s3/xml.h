#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kml::s3 {

/// What stands within each <tag>…</tag> of a text, tags and references as they are. For S3's answers, whose
/// elements of one name are never within each other.
std::vector<std::string_view> xml_elements(std::string_view xml, std::string_view tag);

/// The text of the first such element, references resolved; empty if there is none.
std::string xml_text(std::string_view xml, std::string_view tag);

}  // namespace kml::s3
