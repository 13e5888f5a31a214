// Replacements for the functions that libstdc++ calls to throw exceptions. libstdc++'s own functions would
// add the unwinder, which is a tenth of the program's size.

#include <cstdlib>
#include <new>

namespace std {

void __throw_length_error(const char*) {
  abort();
}
void __throw_logic_error(const char*) {
  abort();
}
void __throw_out_of_range_fmt(const char*, ...) {
  abort();
}
void __throw_bad_alloc() {
  abort();
}
void __throw_bad_array_new_length() {
  abort();
}

}  // namespace std

void* operator new(std::size_t size) {
  void* memory = std::malloc(size);
  if (!memory) std::abort();
  return memory;
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return std::malloc(size);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
