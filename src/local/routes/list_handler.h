#pragma once

#include "local/api/api_path.h"
#include "local/http/http_message.h"
#include "local/store/store.h"

namespace kml::local {

/// GET of a collection, with selectors, `limit` and `continue`.
/// All pages carry the resourceVersion of the first: a watch from there tells what changed meanwhile.
HttpResponse list_objects(const Store& store, const Clock& clock, const ApiPath& path,
                          const HttpRequest& request);

}  // namespace kml::local
