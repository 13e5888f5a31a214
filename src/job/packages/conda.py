"""Finds and installs conda packages with py-rattler. Made by kml for --conda.

    python conda.py solve REQUEST LOCK                   # on the user's machine; prints what kml needs to know
    python conda.py install LOCK FOLDER FINAL CACHE HOW  # in a pod; HOW is "share" or "copy" for the files in CACHE

Runs no script of a package. The environment is made in FOLDER, and used under the name FINAL.
"""

import asyncio
import json
import os
import sys

import rattler


def channel_config(request):
    return rattler.channel.ChannelConfig(channel_alias=request["alias"], root_dir=request["folder"])


def virtual_packages(request):
    """What the packages may expect of the system: for a pod on this machine, what it has."""
    if request["platform"] == "":
        found = rattler.VirtualPackage.detect(rattler.VirtualPackageOverrides.from_env())
        return [package.into_generic() for package in found]
    made = []
    for name, version in request["system"].items():
        made.append(rattler.GenericVirtualPackage(rattler.PackageName(name), rattler.Version(version), rattler.BuildString("0")))
    return made


def is_of_python(record):
    return record.noarch.python or any(text.split(" ")[0] == "python" for text in record.depends)


def match_spec(text, config):
    """The package "CHANNEL::tiny=1" with the channel's URL: rattler itself would look only on its default server."""
    channel, found, package = text.partition("::")
    if found and "://" not in channel:
        text = rattler.Channel(channel, config).base_url.rstrip("/") + "::" + package
    return rattler.MatchSpec(text)


async def solve(request, path):
    config = channel_config(request)
    channels = [rattler.Channel(name, config) for name in request["channels"]]
    platform = request["platform"] or str(rattler.platform.Subdir.current())
    records = await rattler.solve(
        sources=channels,
        specs=[match_spec(text, config) for text in request["specs"]],
        platforms=[platform, "noarch"],
        gateway=rattler.Gateway(cache_dir=request["cache"] or None),
        virtual_packages=virtual_packages(request),
    )
    lock = rattler.LockFile([rattler.LockPlatform(platform)])
    lock.set_channels("default", [rattler.LockChannel(channel.base_url) for channel in channels])
    for record in sorted(records, key=lambda each: each.name.normalized):
        lock.add_conda_package("default", rattler.LockPlatform(platform), record)
    lock.to_path(path)
    versions = {record.name.normalized: str(record.version) for record in records}
    python = versions.get("python", "")
    of_python = {record.name.normalized: str(record.version) for record in records if is_of_python(record)}
    print(json.dumps({"platform": platform, "python": python, "ofPython": of_python}))


async def install(lock, folder, final, cache, how):
    environment = rattler.LockFile.from_path(lock).default_environment()
    records = environment.conda_repodata_records_for_platform(environment.platforms()[0])
    await rattler.install(
        records,
        target_prefix=folder,
        alternative_target_prefix=final,
        cache_dir=cache or None,
        config=rattler.Config.from_toml("allow-hard-links = %s" % str(how == "share").lower()),
        execute_link_scripts=False,
        show_progress=False,
    )


def run():
    """Returns the exit code."""
    try:
        if sys.argv[1] == "solve":
            with open(sys.argv[2]) as file:
                request = json.load(file)
            asyncio.run(solve(request, sys.argv[3]))
        else:
            asyncio.run(install(*sys.argv[2:]))
        return 0
    except Exception as error:  # py-rattler's errors have no common class
        text = " ".join(str(error).split())
        sys.stderr.write("error: %s\n" % (text or type(error).__name__))
        return 1


def main():
    code = run()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # py-rattler's threads may still call Python, which aborts the process while it ends


if __name__ == "__main__":
    main()
