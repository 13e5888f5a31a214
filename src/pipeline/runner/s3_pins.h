#pragma once

#include <string>

namespace kml::pipeline {

/// Protects an artifact's tree from the bucket's collect(), whichever machine runs it. `url` is the store's
/// URL. Throws Error if the bucket cannot be written.
void pin_in_bucket(const std::string& url, const std::string& artifact, const std::string& digest);
void unpin_in_bucket(const std::string& url, const std::string& artifact, const std::string& digest);

}  // namespace kml::pipeline
