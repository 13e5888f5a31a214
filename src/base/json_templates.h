// Lists the JSON class templates that nearly every translation unit would otherwise compile again; they make
// up a third of all duplicated code. precompiled.h declares them as `extern template`, and json_templates.cc
// compiles them: each defines KML_TEMPLATE before including this file. This file has no #pragma once, because
// json_templates.cc includes it both directly and through precompiled.h.
#include <nlohmann/json.hpp>
#include <string>

NLOHMANN_JSON_NAMESPACE_BEGIN
KML_TEMPLATE basic_json<>::basic_json(initializer_list_t, bool, value_t);
KML_TEMPLATE basic_json<>::basic_json(const basic_json&);
KML_TEMPLATE basic_json<>::json_value::json_value(value_t);
KML_TEMPLATE void basic_json<>::json_value::destroy(value_t);
KML_TEMPLATE basic_json<>::reference basic_json<>::operator[](typename object_t::key_type);
KML_TEMPLATE void basic_json<>::push_back(initializer_list_t);
KML_TEMPLATE void basic_json<>::update(const_iterator, const_iterator, bool);
KML_TEMPLATE bool basic_json<>::operator==(const_reference) const noexcept;
KML_TEMPLATE std::string basic_json<>::dump(int, char, bool, error_handler_t) const;
namespace detail {
using StringInput = iterator_input_adapter<std::string::const_iterator>;  // of std::string
using ViewInput = iterator_input_adapter<const char*>;                    // of std::string_view
KML_TEMPLATE class serializer<json>;
KML_TEMPLATE class json_sax_dom_parser<json>;
KML_TEMPLATE class json_sax_dom_callback_parser<json>;
KML_TEMPLATE class lexer<json, StringInput>;
KML_TEMPLATE class lexer<json, ViewInput>;
KML_TEMPLATE class parser<json, StringInput>;
KML_TEMPLATE class parser<json, ViewInput>;
KML_TEMPLATE bool parser<json, StringInput>::sax_parse_internal(json_sax_dom_parser<json>*);
KML_TEMPLATE bool parser<json, ViewInput>::sax_parse_internal(json_sax_dom_parser<json>*);
KML_TEMPLATE bool parser<json, StringInput>::sax_parse_internal(json_sax_dom_callback_parser<json>*);
KML_TEMPLATE bool parser<json, ViewInput>::sax_parse_internal(json_sax_dom_callback_parser<json>*);
}  // namespace detail
NLOHMANN_JSON_NAMESPACE_END
