// The only unit that contains fmt's code. Debian has no static libfmt; its shared library would slow down
// every start of kml, and fmt's header-only form would compile this code in each unit that formats.
#include <fmt/format-inl.h>

// The templates that fmt's headers declare `extern template`, as in fmt's own src/format.cc.
FMT_BEGIN_NAMESPACE
namespace detail {
template FMT_API auto dragonbox::to_decimal(float) noexcept -> dragonbox::decimal_fp<float>;
template FMT_API auto dragonbox::to_decimal(double) noexcept -> dragonbox::decimal_fp<double>;
template FMT_API auto thousands_sep_impl(locale_ref) -> thousands_sep_result<char>;
template FMT_API auto decimal_point_impl(locale_ref) -> char;
}  // namespace detail
FMT_END_NAMESPACE
