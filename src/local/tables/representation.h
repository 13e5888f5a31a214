#pragma once

#include <string>

#include "kml/base/clock.h"
#include "kml/kube/objects/resource.h"
#include "kml/local/http_message.h"

namespace kml::local {

/// The form in which a client wants objects, according to its Accept header: whole objects, rows of a table,
/// or only metadata (metav1's Table and PartialObjectMetadata).
class Representation {
 public:
  /// Throws 406 if this server supports none of the forms that the header lists.
  Representation(const api::ResourceKind& kind, const HttpRequest& request);

  /// Has no final newline, because a watch embeds the text in an event.
  std::string of_object(const Json& object, Time now) const;
  /// A list consists of begin_list(), the items with "," between them, and kListEnd.
  std::string begin_list(const Json& metadata) const;
  /// Items in a list have no apiVersion and kind, except for custom resources.
  void append_item(std::string& text, const Json& object, Time now) const;
  static constexpr const char* kListEnd = "]}";

  /// Omits the column definitions. In a watch, only the first event has them.
  void leave_columns_out() { with_columns_ = false; }

 private:
  enum class Form { whole, table, metadata };
  enum class RowObject { none, metadata, whole };

  Json row(const Json& object, Time now) const;

  const api::ResourceKind& kind_;
  Form form_ = Form::whole;
  RowObject row_object_ = RowObject::metadata;  ///< the part of the object that its row includes
  bool with_columns_ = true;
};

}  // namespace kml::local
