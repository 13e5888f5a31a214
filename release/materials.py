#!/usr/bin/env python3
"""What a static kml contains, from Debian's packages: the licences, and a CycloneDX bill of materials.

The program prints the names of the packages.
"""

import hashlib
import json
import pathlib
import subprocess
import time
import uuid

# Debian's packages whose code is in the program: archives, headers, and what release/dependencies builds again.
PACKAGES = {
    "libc6-dev": "C library", "libstdc++-12-dev": "C++ library", "libcurl4-openssl-dev": "libcurl",
    "libssl-dev": "OpenSSL", "libnghttp2-dev": "HTTP/2", "zlib1g-dev": "zlib", "libmicrohttpd-dev": "HTTP server",
    "libgnutls28-dev": "GnuTLS", "nettle-dev": "cryptography of GnuTLS", "libgmp-dev": "numbers of GnuTLS",
    "libtasn1-6-dev": "ASN.1 of GnuTLS", "libsqlite3-dev": "SQLite", "libre2-dev": "regular expressions",
    "libyaml-cpp-dev": "YAML", "libutf8proc-dev": "Unicode", "libabsl-dev": "time zones", "libfmt-dev": "formatting",
    "nlohmann-json3-dev": "JSON", "libcli11-dev": "command line", "libeigen3-dev": "linear algebra",
    "liblbfgspp-dev": "optimization", "libtomlplusplus-dev": "TOML", "libmbedtls-dev": "TLS in pods",
    "ca-certificates": "certificates of public authorities, in the container image",
}


# The packages that a client for macOS does not contain. Its programs for pods contain Linux's C and C++ libraries.
ONLY_LINUX = {"libmicrohttpd-dev", "libgnutls28-dev", "nettle-dev", "libgmp-dev", "libtasn1-6-dev", "ca-certificates"}


def _zig(dependencies):
    """The folder of the compiler that release/dependencies-macos installed, if any: its C++ library is in the program."""
    return next((dependencies / "zig").glob("lib/python3*/site-packages/ziglang"), None)


def _packages(dependencies):
    return [package for package in PACKAGES if package not in ONLY_LINUX or not _zig(dependencies)]


def _facts(dependencies):
    """Package -> its source package with its version: as installed here, or as unpacked for another processor."""
    form = "${Package}\t${source:Package}\t${source:Version}\n"
    archives = list((dependencies / "apt/archives").glob("*.deb"))
    commands = [["dpkg-deb", "-W", "--showformat", form, archive] for archive in archives]
    commands.append(["dpkg-query", "-W", "-f", form, *(["ca-certificates"] if archives else PACKAGES)])
    lines = "".join(subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout for command in commands)
    known = {line.split("\t")[0]: line.split("\t")[1:] for line in lines.splitlines()}
    # Libraries that were built from source may be newer than their headers here.
    built = dict(name[:-len(".dsc")].split("_") for name in (dependencies / "done").read_text().split() if name.endswith(".dsc"))
    return {package: (known[package][0], built.get(known[package][0], known[package][1])) for package in _packages(dependencies)}


def licences(source, dependencies):
    """kml's licence, then those of everything in it."""
    parts = [b"kml is licensed under the Apache License 2.0, whose text follows. The program contains the libraries\n"
             b"below it, each under its own licence. Those under the LGPL (glibc, GnuTLS, libmicrohttpd, nettle, GMP,\n"
             b"libtasn1) can be replaced: kml's own source is public, and release/build links it again.\n\n",
             (source / "LICENSE").read_bytes()]
    sysroot = dependencies / "sysroot"
    root = sysroot if sysroot.is_dir() else pathlib.Path("/")
    for package, (name, version) in sorted(_facts(dependencies).items()):
        title = "%s (Debian's source package %s %s)" % (PACKAGES[package], name, version)
        parts.append(b"\n" + b"=" * 80 + b"\n" + title.encode() + b"\n\n" +
                     (root / "usr/share/doc" / package / "copyright").read_bytes())
    for part in ("libcxx", "libcxxabi") if _zig(dependencies) else ():
        title = "C++ library: %s (LLVM, from zig)" % part
        parts.append(b"\n" + b"=" * 80 + b"\n" + title.encode() + b"\n\n" +
                     (_zig(dependencies) / "lib" / part / "LICENSE.TXT").read_bytes())
    return b"".join(parts)


def bill(version, program, epoch, dependencies):
    """CycloneDX 1.5, as JSON."""
    digest = hashlib.sha256(program).hexdigest()
    components = [{"type": "library", "name": name, "version": found, "description": PACKAGES[package],
                   "purl": "pkg:deb/debian/%s@%s?arch=source" % (name, found.replace("+", "%2B").replace(":", "%3A"))}
                  for package, (name, found) in sorted(_facts(dependencies).items(), key=lambda item: item[1])]
    return json.dumps({
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "serialNumber": "urn:uuid:%s" % uuid.uuid5(uuid.NAMESPACE_URL, digest),
        "metadata": {"timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch)),
                     "component": {"type": "application", "name": "kml", "version": version,
                                   "licenses": [{"license": {"id": "Apache-2.0"}}],
                                   "hashes": [{"alg": "SHA-256", "content": digest}]}},
        "components": components}, indent=2) + "\n"


if __name__ == "__main__":
    print(*PACKAGES)
