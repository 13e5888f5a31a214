#pragma once

#include <string>

namespace kml::api {

// What is wrong with an amount that a user typed for a pod, as the end of a sentence that starts with the
// amount; empty if nothing is wrong. Kubernetes accepts more: `memory: 16` is 16 bytes, and `memory: 512m` is
// half a byte.

/// An amount of bytes: "is not an amount of bytes; write 16Gi" for "16 GB", "is only 16 bytes; write 16Gi"
/// for "16".
std::string bytes_problem(const std::string& text);

/// A number of CPUs: "is not a number of CPUs; write 4, 1.5 or 500m" for "4Gi".
std::string cpus_problem(const std::string& text);

}  // namespace kml::api
