#pragma once

#include <filesystem>
#include <string>

#include "kml/jobs/copy/copy.h"

namespace kml::jobs {

/// Copies a file or folder, as copy_to_pod() does, to NAME in the container's folder `target`, which appears
/// when the copy is complete; folders above it are made. If `target` exists, does nothing. Continues what an
/// earlier call has left, and throws what copy_to_pod() throws.
void put_once(kube::Client& client, const std::filesystem::path& source, const PodPath& target,
              const std::string& name, const CopyReport& report, const Interrupt& interrupt);

}  // namespace kml::jobs
