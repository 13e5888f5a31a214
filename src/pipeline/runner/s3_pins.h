#pragma once

#include <string>

namespace kml::pipeline {

/// Protects the tree of an artifact from collect() of the bucket, whichever machine runs that. `url` is that
/// of the store. Throws Error if the bucket cannot be written.
void pin_in_bucket(const std::string& url, const std::string& artifact, const std::string& digest);
void unpin_in_bucket(const std::string& url, const std::string& artifact, const std::string& digest);

}  // namespace kml::pipeline
