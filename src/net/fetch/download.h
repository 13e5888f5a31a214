#pragma once

#include <atomic>
#include <string>

#include "kml/base/beneath.h"
#include "net/fetch/content.h"
#include "net/fetch/getter.h"

namespace kml::fetch {

/// A file on a server, and what it must contain.
struct RemoteFile {
  std::string path;  ///< where it is stored
  Place place = {};
  Expected expected = {};
};

/// Downloads the file below the folder, and continues an earlier download. The file appears at its path only
/// once its content was verified. Throws Error if the file has another content, or once `is_stopped` is set.
void download(Getter& getter, Beneath& folder, const RemoteFile& file, const std::atomic<bool>& is_stopped);

/// The Error for a response that is not a part of a file.
Error refused(const http::Response& response, const std::string& what);

}  // namespace kml::fetch
