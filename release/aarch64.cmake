# CMake's toolchain for aarch64, on a machine with another processor: Debian's cross compiler, and the packages of arm64
# that release/dependencies unpacked in KML_DEPENDENCIES/sysroot.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_SYSROOT ${KML_DEPENDENCIES}/sysroot)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES KML_DEPENDENCIES)
# Its own C library lacks Debian's security updates.
set(CMAKE_EXE_LINKER_FLAGS_INIT -B${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
