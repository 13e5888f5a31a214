#pragma once

#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "kml/base/json.h"
#include "kml/base/json_fields.h"

/// Records of a journal as lines of JSON. `Form<What>` describes one kind of record:
///
///     kName         its name in the journal
///     kFields       the table of its members, see JsonField; or, if that does not suffice:
///     write, read   functions that convert it
///     require       optional, beside kFields: throws Error if a line lacks members that such a record needs
namespace kml::engine {

/// Adds the record's members to `json`.
template <template <typename> class Form, typename What>
void write_members(const What& what, Json& json) {
  if constexpr (requires { Form<What>::write(what, json); })
    Form<What>::write(what, json);
  else
    json.update(fields_to_json(what, Form<What>::kFields));
}

template <template <typename> class Form, typename What>
What read_members(const Json& json) {
  if constexpr (requires { Form<What>::read(json); }) {
    return Form<What>::read(json);
  } else {
    if constexpr (requires { Form<What>::require(json); }) Form<What>::require(json);
    What what;
    read_fields(json, what, Form<What>::kFields);
    return what;
  }
}

/// Reads the record as the alternative that has this name. If no alternative has it, leaves `what` unchanged.
template <template <typename> class Form, typename... Whats>
void read_as(std::variant<Whats...>& what, std::string_view name, const Json& json) {
  const auto try_one = [&]<typename What>(std::type_identity<What>) {
    if (name == Form<What>::kName) what = read_members<Form, What>(json);
  };
  (try_one(std::type_identity<Whats>()), ...);
}

/// The name of the kind of record.
template <template <typename> class Form, typename... Whats>
std::string_view name_of_kind(const std::variant<Whats...>& what) {
  return std::visit([]<typename What>(const What&) { return std::string_view(Form<What>::kName); }, what);
}

}  // namespace kml::engine
