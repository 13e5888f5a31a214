#include "local/tables/representation.h"

#include <optional>

#include "kml/base/text.h"
#include "kml/kube/objects/object.h"
#include "local/api/api_error.h"
#include "local/tables/table_columns.h"

namespace kml::local {

namespace {

/// One of the alternatives in an Accept header: "application/json;as=Table;v=v1;g=meta.k8s.io".
struct MediaType {
  std::string type, as, version, group;

  explicit MediaType(std::string_view text) {
    for (const std::string& part : split(text, ';')) {
      const std::string_view field = trim(part);
      if (type.empty()) type = field;
      if (field.starts_with("as=")) as = field.substr(3);
      if (field.starts_with("v=")) version = field.substr(2);
      if (field.starts_with("g=")) group = field.substr(2);
    }
  }
  bool is_json() const { return type == "application/json" || type == "application/*" || type == "*/*"; }
  bool is_meta_v1() const { return version == "v1" && group == "meta.k8s.io"; }
};

Json metadata_of(const Json& object) {
  return {{"kind", "PartialObjectMetadata"},
          {"apiVersion", "meta.k8s.io/v1"},
          {"metadata", object.at("metadata")}};
}

Json columns_document(const TableColumns& table) {
  Json columns = Json::array();
  for (const Column& column : table.columns)
    columns.push_back({{"name", column.name},
                       {"type", column.type},
                       {"format", column.format},
                       {"description", ""},
                       {"priority", column.wide ? 1 : 0}});
  return columns;
}

}  // namespace

Representation::Representation(const api::ResourceKind& kind, const HttpRequest& request) : kind_(kind) {
  const std::string include = request.parameter("includeObject");
  if (include == "None") row_object_ = RowObject::none;
  if (include == "Object") row_object_ = RowObject::whole;
  if (request.accept.empty()) return;
  for (const std::string& text : split(request.accept, ',')) {
    const MediaType wanted(text);
    if (!wanted.is_json()) continue;
    if (wanted.as.empty()) return;
    if (!wanted.is_meta_v1()) continue;
    if (wanted.as == "Table") {
      form_ = Form::table;
      return;
    }
    if (wanted.as == "PartialObjectMetadata" || wanted.as == "PartialObjectMetadataList") {
      form_ = Form::metadata;
      return;
    }
  }
  throw api_error(406, "NotAcceptable",
                  "only the following media types are accepted: application/json, "
                  "application/json;as=Table;v=v1;g=meta.k8s.io, "
                  "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io");
}

Json Representation::row(const Json& object, Time now) const {
  Json row = {{"cells", columns_of(kind_).cells(object, now)}};
  if (row_object_ == RowObject::metadata) row["object"] = metadata_of(object);
  if (row_object_ == RowObject::whole) row["object"] = object;
  return row;
}

std::string Representation::of_object(const Json& object, Time now) const {
  if (form_ == Form::whole) return compact_text(object);
  if (form_ == Form::metadata) return compact_text(metadata_of(object));
  std::string table = begin_list({{"resourceVersion", api::revision_of(object)}});
  append_item(table, object, now);
  return table + kListEnd;
}

std::string Representation::begin_list(const Json& metadata) const {
  Json head = {{"kind", std::string(kind_.kind) + "List"}, {"apiVersion", kind_.api_version()}};
  if (form_ == Form::table) head = {{"kind", "Table"}, {"apiVersion", "meta.k8s.io/v1"}};
  if (form_ == Form::metadata)
    head = {{"kind", "PartialObjectMetadataList"}, {"apiVersion", "meta.k8s.io/v1"}};
  head["metadata"] = metadata;
  if (form_ == Form::table)
    head["columnDefinitions"] = with_columns_ ? columns_document(columns_of(kind_)) : Json();
  std::string text = compact_text(head);
  text.pop_back();
  return text + (form_ == Form::table ? R"(,"rows":[)" : R"(,"items":[)");
}

void Representation::append_item(std::string& text, const Json& object, Time now) const {
  if (form_ != Form::whole) {
    text += compact_text(form_ == Form::table ? row(object, now) : metadata_of(object));
    return;
  }
  // Written field by field, because copying each object of a long list would take longer than printing it.
  const bool is_custom = kind_.kind == "PyTorchJob";
  char separator = '{';
  for (const auto& [key, value] : object.items()) {
    if (!is_custom && (key == "apiVersion" || key == "kind")) continue;
    text += separator + Json(key).dump() + ':';
    text += compact_text(value);
    separator = ',';
  }
  text += '}';
}

}  // namespace kml::local
