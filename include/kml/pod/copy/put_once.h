#pragma once

#include <filesystem>
#include <string>

#include "kml/pod/copy/copy.h"

namespace kml::pod {

/// Copies a file or folder, like copy_to_pod(), to NAME in the container's folder `target`. Creates the
/// parent folders of `target`; `target` itself appears when the copy is complete. Does nothing if `target`
/// exists. Continues a copy that was interrupted. Throws the same errors as copy_to_pod().
void put_once(kube::Client& client, const std::filesystem::path& source, const PodPath& target,
              const std::string& name, const CopyReport& report, const job::Interrupt& interrupt);

}  // namespace kml::pod
