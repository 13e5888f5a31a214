#pragma once

namespace kml {

/// With glibc, returns freed memory to the system. The allocator would keep it, because it lies in small
/// pieces between memory that is still in use. After 10,000 objects have been parsed and stored as text, the
/// freed memory is larger than the memory in use. Meant for a process that runs for a long time.
void return_unused_memory();

}  // namespace kml
