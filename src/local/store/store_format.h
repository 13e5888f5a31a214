#pragma once

#include <cstdint>

namespace kml::local {

// The layout of the table, and of what other files of the state folder mean. PRAGMA user_version keeps it.
inline constexpr int64_t kStoreFormat = 1;
inline constexpr const char* kMakeTables =
    "CREATE TABLE objects(kind TEXT, key TEXT, object TEXT, PRIMARY KEY(kind, key));"
    "CREATE TABLE revision(value INTEGER);"
    "INSERT INTO revision VALUES(0);"
    "PRAGMA user_version = 1";
inline constexpr const char* kPutObject =
    "INSERT INTO objects(kind, key, object) VALUES(?1, ?2, ?3) "
    "ON CONFLICT(kind, key) DO UPDATE SET object = ?3";
inline constexpr const char* kSetRevision = "UPDATE revision SET value = ?1";

/// The fix of all errors of a damaged state.
inline constexpr const char* kRepair =
    "run `kml local repair`: it keeps what can be read (`kml local check` says what is damaged)";

}  // namespace kml::local
