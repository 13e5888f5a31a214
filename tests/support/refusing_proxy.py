"""Passes data between a client and a server. While the file FILE exists, the server seems to be away: connections
end at the next byte that the client sends. Data from the server still passes, so a client learns about changes
that make it send a request.

    refusing_proxy.py HOST:PORT FILE

Prints the port on which it listens, then a line for each connection that it ended.
"""
import asyncio
import os
import sys


async def pump(reader, writer, is_up):
    while data := await reader.read(1 << 16):
        if is_up and os.path.exists(sys.argv[2]):
            print("ended", flush=True)
            return
        writer.write(data)
        await writer.drain()


async def connection(reader, writer):
    server_reader, server_writer = await asyncio.open_connection(*sys.argv[1].rsplit(":", 1))
    ways = [asyncio.create_task(pump(reader, server_writer, True)), asyncio.create_task(pump(server_reader, writer, False))]
    await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
    for way in ways:
        way.cancel()
    for end in (writer, server_writer):
        end.close()


async def main():
    server = await asyncio.start_server(connection, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.Event().wait()


asyncio.run(main())
