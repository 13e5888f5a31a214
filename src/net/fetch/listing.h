#pragma once

#include <string>
#include <vector>

#include "kml/net/fetch/source.h"
#include "net/fetch/download.h"

namespace kml::fetch {

/// The server of hf:// sources: HF_ENDPOINT, or https://huggingface.co.
std::string hub_endpoint();
/// Makes the getter send HF_TOKEN to the server of hf:// sources.
void use_hub_token(Getter& getter);

/// The commit that a branch or a tag names now (https://huggingface.co/docs/hub/api).
std::string commit_of(Getter& getter, const Source& source);
/// The files of a source in a hub, at its commit. Throws Error if a name could lead out of a folder.
std::vector<RemoteFile> files_in_hub(Getter& getter, const Source& source);

}  // namespace kml::fetch
