#!/usr/bin/env python3
"""IRC servers on loopback that end every connection, each in its own way.

    breaking_irc.py [CERTIFICATE KEY]

Prints one line KIND=PORT each, then READY, and after each hundredth connection to one of them (and
the fifth) `COUNT KIND NUMBER`. Ends when standard input does. The kinds:

    handshake   closes at once: to a client that wants TLS the handshake has failed
    early       ERROR before the welcome
    joined      welcomes, lets the client into its channel, then closes
    reset       sends a lot of text, then resets the connection with the client's lines unread
    distrusted  TLS with the certificate named, which nobody trusts
"""

import asyncio
import ssl
import sys


class Place:
    def __init__(self, kind):
        self.kind, self.count = kind, 0

    def counted(self):
        self.count += 1
        if self.count == 5 or self.count % 100 == 0:
            print(f"COUNT {self.kind} {self.count}", flush=True)

    async def serve(self, reader, writer):
        self.counted()
        try:
            await getattr(self, self.kind)(reader, writer)
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def handshake(self, _reader, _writer):
        pass

    async def early(self, reader, writer):
        await reader.readuntil(b"USER ")
        writer.write(b"ERROR :Closing Link: lab (go away)\r\n")
        await writer.drain()

    async def joined(self, reader, writer):
        await reader.readuntil(b"USER ")
        writer.write(b":lab 001 gifbot :hi\r\n:lab 376 gifbot :end\r\n")
        await reader.readuntil(b"JOIN ")
        writer.write(b":gifbot!g@h JOIN #cats\r\n")
        await writer.drain()

    async def reset(self, reader, writer):
        await reader.readuntil(b"CAP ")
        writer.write(b":lab NOTICE * :nothing to see here\r\n" * 100)
        await writer.drain()
        writer.transport.abort()

    async def distrusted(self, reader, _writer):
        await reader.readline()


async def main():
    loop = asyncio.get_running_loop()
    servers = []
    for kind in ("handshake", "early", "joined", "reset", "distrusted"):
        context, place = None, Place(kind)
        if kind == "distrusted":
            if len(sys.argv) < 3:
                continue
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(sys.argv[1], sys.argv[2])
            # Those that fail in the handshake never get as far as `serve`.
            context.sni_callback = lambda *_, place=place: place.counted()
            place.serve = place.distrusted
        server = await asyncio.start_server(place.serve, "127.0.0.1", 0, ssl=context)
        servers.append(server)
        print(f"{kind}={server.sockets[0].getsockname()[1]}")
    loop.set_exception_handler(lambda *_: None)
    print("READY", flush=True)
    await loop.run_in_executor(None, sys.stdin.buffer.read)


if __name__ == "__main__":
    asyncio.run(main())
