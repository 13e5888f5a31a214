#pragma once

#include <filesystem>
#include <string>

#include "kml/pod/copy/copy.h"

namespace kml::pod {

/// Copies a file or folder, like copy_to_pod(), to NAME in the container's folder `target`. Creates the
/// folders above `target`; `target` itself appears when the copy is complete. Does nothing if `target`
/// exists. Continues an interrupted call. Throws what copy_to_pod() throws.
void put_once(kube::Client& client, const std::filesystem::path& source, const PodPath& target,
              const std::string& name, const CopyReport& report, const job::Interrupt& interrupt);

}  // namespace kml::pod
