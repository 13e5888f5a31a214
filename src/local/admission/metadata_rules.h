#pragma once

#include <string>

#include "local/api/api_error.h"

namespace kml::local {

// k8s.io/apimachinery/pkg/api/validation/objectmeta.go. The fields' types are checked before.

/// Checks an object's metadata but for its name: labels, annotations, finalizers, ownerReferences.
void validate_metadata(const Json& metadata, FieldErrors& errors);

/// Checks labels and annotations, all that a template's metadata is good for; `path` is where it stands.
void validate_labels(const Json& metadata, const std::string& path, FieldErrors& errors);

}  // namespace kml::local
