// The only unit that compiles fmt's code. Debian has no static libfmt, the shared library would slow down
// every start of kml, and the header-only form would compile this code in each unit that formats text.
#include <fmt/format-inl.h>

// Instantiates the templates that fmt's headers declare as `extern template`, as fmt's own src/format.cc
// does.
FMT_BEGIN_NAMESPACE
namespace detail {
template FMT_API auto dragonbox::to_decimal(float) noexcept -> dragonbox::decimal_fp<float>;
template FMT_API auto dragonbox::to_decimal(double) noexcept -> dragonbox::decimal_fp<double>;
template FMT_API auto thousands_sep_impl(locale_ref) -> thousands_sep_result<char>;
template FMT_API auto decimal_point_impl(locale_ref) -> char;
}  // namespace detail
FMT_END_NAMESPACE
