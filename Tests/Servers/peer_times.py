#!/usr/bin/env python3
"""How long answers take in plain and in encrypted rooms, as a person sees it.

    peer_times.py --url URL --user NAME --password PASSWORD --store DIR --bot BOT [--count N]

The bot is invited into a plain and an encrypted room, and asked in both by turns: from the moment the person sends
until the answer is in the person's sync, decrypted. Prints the medians in milliseconds; a first round that is
thrown away brings keys and uploads. Run it with the bot's `media` set to link, then to image.
"""

import argparse
import asyncio
import statistics
import tempfile
import time

from peer import Peer


async def ask(peer, room, bot):
    began = time.monotonic()
    await peer.run_step({"do": "send", "room": room, "text": "!gif party"})
    answer = await peer.run_step({"do": "wait", "room": room, "from": bot, "seconds": 30})
    if answer["problems"]:
        raise SystemExit(answer["problems"])
    return (peer.last["seen"] - began) * 1000, answer["event"]["content"].get("msgtype")


async def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("url", "user", "password", "bot"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--store")
    parser.add_argument("--count", type=int, default=50)
    options = parser.parse_args()
    peer = Peer(options.url, options.user, options.password, options.store or tempfile.mkdtemp())
    await peer.start()
    try:
        rooms = {}
        for kind in ("plain", "encrypted"):
            made = await peer.run_step(
                {"do": "create_room", "invite": [options.bot], "encrypted": kind == "encrypted"}
            )
            rooms[kind] = made["room_id"]
            await peer.run_step({"do": "wait_member", "room": made["room_id"], "user": options.bot})
        times = {kind: [] for kind in rooms}
        types = set()
        for number in range(options.count + 3):
            for kind, room in rooms.items():
                took, msgtype = await ask(peer, room, options.bot)
                types.add(msgtype)
                # The samples that "party" finds are few: after three all are uploaded.
                if number >= 3:
                    times[kind].append(took)
        plain, encrypted = (statistics.median(times[kind]) for kind in ("plain", "encrypted"))
        print(
            "%s: plain %.1f ms, encrypted %.1f ms: %.1f ms or %.1f %% more (medians of %d)"
            % ("/".join(sorted(types)), plain, encrypted, encrypted - plain,
               100 * (encrypted / plain - 1), options.count)
        )
    finally:
        await peer.close()


if __name__ == "__main__":
    asyncio.run(main())
