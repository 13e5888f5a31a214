#pragma once

#include <filesystem>
#include <string>

#include "kml/image/append/layer.h"

namespace kml::job {

/// The files of a code folder, as code_files() lists them, as a layer of an image. They are in the folder
/// `path` of the image, an absolute path. Throws usage Error if the folder has no files, or if they are too
/// large; the message then lists the largest files.
image::Layer code_layer(const std::filesystem::path& folder, const std::string& path);

}  // namespace kml::job
