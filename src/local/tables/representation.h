#pragma once

#include <string>

#include "kml/api/resource.h"
#include "kml/core/clock.h"
#include "local/http/http_message.h"

namespace kml::local {

/// The form in which a client asks for objects of a kind, by its Accept header: whole, as rows of a table, or
/// their metadata alone (metav1's Table and PartialObjectMetadata).
class Representation {
 public:
  /// Throws 406 if the header names forms only that this server has not.
  Representation(const api::ResourceKind& kind, const HttpRequest& request);

  /// Without a line end: an event of a watch holds it.
  std::string of_object(const Json& object, Time now) const;
  /// A list is its begin, the items with "," between them, and kListEnd.
  std::string begin_list(const Json& metadata) const;
  /// The items of a list do not say what they are, but for those of custom resources.
  void append_item(std::string& text, const Json& object, Time now) const;
  static constexpr const char* kListEnd = "]}";

  /// The events of a watch after the first do without the columns' names.
  void leave_columns_out() { with_columns_ = false; }

 private:
  enum class Form { whole, table, metadata };
  enum class RowObject { none, metadata, whole };

  Json row(const Json& object, Time now) const;

  const api::ResourceKind& kind_;
  Form form_ = Form::whole;
  RowObject row_object_ = RowObject::metadata;  ///< what of the object comes with its row
  bool with_columns_ = true;
};

}  // namespace kml::local
