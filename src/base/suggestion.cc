#include "kml/base/suggestion.h"

#include "kml/base/text.h"

namespace kml {

std::string suggestion(std::string_view word, std::span<const std::string> candidates,
                       const std::string& otherwise) {
  const std::string near = did_you_mean(word, candidates);
  return near.empty() ? otherwise : near + " " + otherwise;
}

}  // namespace kml
