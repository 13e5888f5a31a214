#include "kml/net/s3/authorities.h"

#include "kml/base/files.h"
#include "kml/net/http/authorities.h"

namespace kml::s3 {

std::string system_authorities() {
  for (const std::filesystem::path& file :
       {http::system_authorities(), std::filesystem::path(environment(kMoreAuthorities))})
    if (auto text = file.empty() ? std::nullopt : read_file_if_exists(file); text && !text->empty())
      return *std::move(text);
  return {};
}

}  // namespace kml::s3
