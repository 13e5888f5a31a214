#pragma once

#include "kml/local/http_message.h"
#include "local/admission/admission.h"
#include "local/api/api_path.h"
#include "local/routes/deletion.h"
#include "local/store/store.h"

namespace kml::local {

/// Handles POST, PUT and PATCH of objects: checks what the client may set, runs admission and stores them.
class Writes {
 public:
  Writes(Store& store, const Clock& clock, const Admission& admission, Deletion& deletion)
      : store_(store), clock_(clock), admission_(admission), deletion_(deletion) {}

  HttpResponse create(const ApiPath& path, const HttpRequest& request);
  HttpResponse replace(const ApiPath& path, const HttpRequest& request);
  HttpResponse patch(const ApiPath& path, const HttpRequest& request);

 private:
  ObjectPtr create_with_generated_name(const ApiPath& path, Json object, bool dry_run);
  ObjectPtr create_admitted(const ApiPath& path, Json object, bool dry_run);
  HttpResponse store_change(const ApiPath& path, const Json& current, Json next, bool dry_run,
                            std::vector<std::string> warnings);

  Store& store_;
  const Clock& clock_;
  const Admission& admission_;
  Deletion& deletion_;
};

/// Whether the status of objects of this kind is changed separately, at ".../status".
bool has_status(const api::ResourceKind& kind);

}  // namespace kml::local
