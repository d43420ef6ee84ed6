#!/usr/bin/env python3
"""A stand-in for GIPHY on 127.0.0.1, in the shapes that its documentation describes.

    fake_giphy.py [--key KEY] [--port PORT]

Prints KEY=VALUE lines and READY, and ends when standard input ends.

    GET  /v1/gifs/search, /v1/stickers/search    q, limit, offset, rating, lang, fields, api_key
    GET  /v1/gifs/trending, /v1/gifs/random, /v1/gifs?ids=, and the same for stickers
    GET  /v1/gifs/translate                      s; one GIF, unless "at all" is in it
    GET  /v1/tags/related/TERM                   two other words
    GET  /v2/search, /v2/featured                the same GIFs in Tenor's shape
    GET  /w/api.php                              the same GIFs as Wikimedia Commons has them
    GET  /media/...                              animated GIFs whose pixels are what the answer says
    GET  /_test/requests      all requests so far, as JSON: server, path, raw, query, headers
    GET  /_test/faults        how many searches got which fault since the last reset
    POST /_test/fault         {"kind": KIND, "count": N, ...}: the next N searches (all, without
                              "count") get it; {"kind": null} ends it
    POST /_test/items         {"ratings": [...], "titles": [...]}: rating and title by rank, in turn
    POST /_test/reset         forgets requests, fault and items

A query that contains "nothing" has no results. Results for one query are always the same. KIND:

    limited            429 with the usual envelope      limited_message    429 with only a message
    banned             403, retry-after: 0              key_refused        401, plain text
    synthetic          200 with an empty response_id    inner_limited      200, meta.status is 429
    html               200, an HTML page                bad_gateway        502, an HTML page
    bad_json           200, cut in the middle           error              500, an empty body
    slow               the answer after "seconds",      hang               no answer before reset
                       or a time in "between"
    drop               closes without an answer         drip               a byte every 50 ms
    redirect_host      302 to another host              redirect_http      302 to http: elsewhere
    huge               64 MiB of valid JSON             no_length          as usual, by chunks
    empty              data: []                         data_null          data: null
    data_object        data: {}                         only_r             every rating is r
    odd                a page of broken items around one good one
    cut                ends in the middle of the body  garbage            bytes that are no text
    mixed              "share" of the searches (all, without) get another of those that pass, in an
                       order by "seed"; in each round all of them come, "none" four times
"""

import argparse
import collections
import functools
import hashlib
import json
import random
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, unquote, urlsplit

sys.dont_write_bytecode = True
from gif_maker import gif

HOST, TOTAL = "127.0.0.1", 60
SIZES = [(480, 270), (320, 240), (500, 281), (270, 480), (400, 400), (360, 202)]
RATINGS = ("y", "g", "pg", "pg-13", "r")
MIXED = (None, None, None, None, "slow", "hang", "drip", "drop", "bad_json", "html", "bad_gateway", "error", "synthetic",
         "redirect_host", "redirect_http", "huge", "cut", "garbage", "no_length", "empty", "data_null", "data_object", "only_r", "odd")


class World:
    """What the handlers share: settings from the test, and what was asked."""

    def __init__(self, key):
        self.key, self.base, self.elsewhere = key, "", ""
        self.lock = threading.Lock()
        self.released = threading.Event()
        self.reset()

    def reset(self):
        self.released.set()
        self.released = threading.Event()
        with self.lock:
            self.requests, self.fault, self.items = [], None, {}
            self.faults = collections.Counter()

    def record(self, **request):
        with self.lock:
            self.requests.append(request)

    def next_fault(self):
        with self.lock:
            fault = self.fault
            if fault and fault.get("count") is not None:
                fault["count"] -= 1
                if fault["count"] <= 0:
                    self.fault = None
            if fault and fault["kind"] == "mixed":
                # The generator lives with the fault, so that a seed gives the same faults again. A round is dealt like cards:
                # chance orders the faults, and leaves none out.
                chance = fault.setdefault("chance", random.Random(fault.get("seed", 1)))
                deck = fault.setdefault("deck", [])
                if not deck:
                    usual = int(len(MIXED) / fault.get("share", 1)) - len(MIXED)
                    deck += MIXED + (None,) * usual
                    chance.shuffle(deck)
                kind = deck.pop()
                self.faults[kind or "none"] += 1
                return {"kind": kind, "seconds": chance.choice((0.2, 1, 8))}
            return dict(fault) if fault else {}


@functools.lru_cache(maxsize=1024)
def length(width, height, frames):
    """Of a GIF, whose colours don't change it: a page names hundreds, and few are ever asked for."""
    return len(gif(width, height, frames))


def rendition(world, name, ident, width, height, frames, file):
    shade = int(hashlib.sha1(ident.encode()).hexdigest()[:2], 16)
    path = f"/media/v1.{ident}-{width}x{height}x{frames}-{shade}/{ident}/{file}"
    return name, {"height": str(height), "width": str(width), "size": str(length(width, height, frames)),
                  "url": world.base + path}


def images(world, ident, width, height):
    def scaled(wide=None, high=None):
        if wide:
            return wide, max(1, round(height * wide / width))
        return max(1, round(width * high / height)), high

    def one(name, size, frames, file):
        return rendition(world, name, ident, *size, frames, file)

    def film(name, size, file):
        return name, {"height": str(size[1]), "width": str(size[0]), "mp4_size": "30000",
                      "mp4": f"{world.base}/media/none/{ident}/{file}"}

    full = (width, height)
    all_of_them = dict([
        one("original", full, 6, "giphy.gif"), one("downsized", full, 6, "giphy.gif"),
        one("downsized_large", full, 6, "giphy.gif"), one("downsized_medium", full, 6, "giphy.gif"),
        one("downsized_still", full, 1, "giphy_s.gif"), one("original_still", full, 1, "giphy_s.gif"),
        one("fixed_height", scaled(high=200), 4, "200.gif"),
        one("fixed_height_downsampled", scaled(high=200), 2, "200_d.gif"),
        one("fixed_height_small", scaled(high=100), 4, "100.gif"),
        one("fixed_height_still", scaled(high=200), 1, "200_s.gif"),
        one("fixed_width", scaled(wide=200), 4, "200w.gif"),
        one("fixed_width_downsampled", scaled(wide=200), 2, "200w_d.gif"),
        one("fixed_width_small", scaled(wide=100), 4, "100w.gif"),
        one("preview_gif", scaled(wide=90), 3, "giphy-preview.gif"),
        film("downsized_small", full, "giphy-downsized-small.mp4"),
        film("original_mp4", full, "giphy.mp4"), film("preview", full, "giphy-preview.mp4"),
        ("looping", {"mp4_size": "90000", "mp4": f"{world.base}/media/none/{ident}/giphy-loop.mp4"}),
    ])
    all_of_them["original"].update(frames="6", hash="0" * 32)
    return all_of_them


def item(world, kind, query, rank):
    ident = hashlib.sha1(f"{kind}/{query}/{rank}".encode()).hexdigest()[:14] + "Lab"
    width, height = SIZES[rank % len(SIZES)]
    titles, ratings = world.items.get("titles"), world.items.get("ratings")
    title = titles[rank % len(titles)] if titles else f"{query.title()} Number {rank} GIF by Lab"
    rating = ratings[rank % len(ratings)] if ratings else "g"
    page = f"https://giphy.com/gifs/lab-{ident}"
    return {
        "type": "sticker" if kind == "stickers" else "gif", "id": ident, "url": page,
        "slug": f"lab-{ident}", "bitly_url": f"https://gph.is/g/{ident[:6]}",
        "embed_url": f"https://giphy.com/embed/{ident}", "username": "lab", "source": "",
        "title": title, "rating": rating, "is_sticker": int(kind == "stickers"),
        "import_datetime": "2024-02-29 08:15:30", "trending_datetime": "0000-00-00 00:00:00",
        "images": images(world, ident, width, height),
        "user": {"username": "lab", "display_name": "Lab", "profile_url": "https://giphy.com/lab/"},
        "alt_text": "", "is_low_contrast": False,
    }


def odd_items(world, query):
    """Broken items around one good one, all from what was seen of the real service."""
    good = item(world, "gifs", query, 0)
    zeroed = item(world, "gifs", query, 1)
    zeroed["images"] = {"downsized": {"height": "0", "size": "0", "url": "", "width": "0"}}
    no_images = item(world, "gifs", query, 2)
    del no_images["images"]
    listed = dict(item(world, "gifs", query, 3), images=[])
    nulls = dict(item(world, "gifs", query, 4), images={"original": None}, title=None)
    stills = item(world, "gifs", query, 5)
    stills["images"] = {k: v for k, v in stills["images"].items() if "still" in k}
    numbers = dict(good, title="Good one among odd ones")
    numbers["images"] = {k: {n: int(v) if v.isdigit() else v for n, v in r.items()}
                         for k, r in good["images"].items()}
    return [zeroed, None, no_images, listed, nulls, stills, 7, numbers]


def picked(data, fields):
    """The `fields` parameter: a comma list, dotted for what lies deeper."""
    wanted = [f.split(".") for f in fields.split(",") if f]

    def cut(value, paths):
        if not isinstance(value, dict) or [] in paths:
            return value
        return {k: cut(v, [p[1:] for p in paths if p[0] == k])
                for k, v in value.items() if any(p[0] == k for p in paths)}
    return [cut(one, wanted) for one in data] if wanted else data


def number(text, default, least, most):
    try:
        return min(max(int(text), least), most)
    except ValueError:
        return default


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "lab", ""

    def log_message(self, *_):
        pass

    # -- answers

    def answer(self, status, body=b"", kind="application/json", headers=()):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def answer_json(self, status, value, headers=()):
        self.answer(status, json.dumps(value, ensure_ascii=False).encode(), headers=headers)

    def meta(self, status, text, response=""):
        return {"status": status, "msg": text, "response_id": response}

    def refuse(self, status, text, headers=()):
        self.answer_json(status, {"data": [], "meta": self.meta(status, text)}, headers)

    # -- routes

    def do_GET(self):
        world, url = self.server.world, urlsplit(self.path)
        if url.path == "/_test/requests":
            with world.lock:
                return self.answer_json(200, world.requests)
        if url.path == "/_test/faults":
            with world.lock:
                return self.answer_json(200, world.faults)
        query = dict(parse_qsl(url.query, keep_blank_values=True))
        world.record(server=self.server.role, path=url.path, raw=self.path, query=query,
                     headers={k.lower(): v for k, v in self.headers.items()})
        if self.server.role == "elsewhere":
            return self.answer_json(200, {"data": [], "meta": self.meta(200, "OK", "elsewhere")})
        if url.path.startswith("/media/v1."):
            return self.media(url.path)
        if url.path in ("/v2/search", "/v2/featured"):
            return self.other(query, "key", query.get("q", "featured"), self.tenor)
        if url.path.startswith("/v1/tags/related/"):
            term = unquote(url.path.split("/")[4])
            return self.answer_json(200, {
                "data": [{"name": "lab owls"}, {"name": term}, {"name": "lab snow"}], "meta": self.meta(200, "OK", "1")})
        if url.path == "/w/api.php":
            return self.other(query, None, query.get("gsrsearch", ""), self.commons)
        parts = url.path.split("/")
        if parts[1:2] == ["v1"] and parts[2:3] in (["gifs"], ["stickers"]) and parts[3:] in (
                ["search"], ["trending"], ["random"], ["translate"], []):
            return self.search(parts[2], query, (parts[3:] or ["ids"])[0])
        return self.answer_json(404, {"data": [], "meta": self.meta(404, "Not Found")})

    def do_POST(self):
        world = self.server.world
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        value = json.loads(body or b"{}")
        if self.path == "/_test/reset":
            world.reset()
        elif self.path == "/_test/fault":
            with world.lock:
                world.fault = value if value.get("kind") else None
            if not value.get("kind"):
                world.released.set()
                world.released = threading.Event()
        elif self.path == "/_test/items":
            with world.lock:
                world.items = value
        else:
            return self.answer(404)
        return self.answer_json(200, {})

    def media(self, path):
        try:
            sizes, shade = path.split("/")[2].split("-")[1:3]
            width, height, frames = (int(n) for n in sizes.split("x"))
            data = gif(width, height, frames, int(shade))
        except ValueError:
            return self.answer(404, kind="text/plain")
        return self.answer(200, data, "image/gif")

    def search(self, kind, query, what):
        world = self.server.world
        fault = world.next_fault()
        name = fault.get("kind")
        if name:
            special = getattr(self, "fault_" + name, None)
            if special and not special(fault):
                return None
        if query.get("api_key") != world.key:
            return self.refuse(401, "Unauthorized")
        words = query.get({"ids": "ids", "random": "tag", "translate": "s"}.get(what, "q"), "")
        if what in ("trending", "random"):
            words = words or what
        if not words:
            return self.refuse(400, "Bad Request")
        if len(words) > 50:
            return self.refuse(414, "URI Too Long")
        return self.page(kind, words, query, name, what)

    def other(self, query, key, words, shaped):
        """A page of another service, with the same faults where they make sense there."""
        world = self.server.world
        fault = world.next_fault()
        name = fault.get("kind")
        special = getattr(self, "fault_" + name, None) if name else None
        if special and not special(fault):
            return None
        if key and query.get(key) != world.key:
            return self.answer_json(403, {"error": {"code": 403, "message": "lab", "status": "PERMISSION_DENIED"}})
        ranks = [] if name in ("empty", "data_null") or "nothing" in words.lower() else range(20)
        shown = shaped([item(world, "gifs", words, rank) for rank in ranks])
        return self.deliver(json.dumps(shown, ensure_ascii=False).encode(), name)

    @staticmethod
    def tenor(items):
        return {"next": "", "results": [{
            "id": one["id"], "title": "", "content_description": one["title"], "itemurl": one["url"],
            "media_formats": {"gif": {
                "url": full["url"], "dims": [int(full["width"]), int(full["height"])], "size": int(full["size"])}},
        } for one in items for full in [one["images"]["original"]]]}

    @staticmethod
    def commons(items):
        return {"batchcomplete": True, "query": {"pages": [{
            "pageid": int(one["id"][:8], 16), "index": rank, "title": f"File:{one['title']}.gif",
            "imageinfo": [{
                "url": full["url"], "width": int(full["width"]), "height": int(full["height"]),
                "size": int(full["size"]), "mime": "image/gif", "metadata": [{"name": "frameCount", "value": 6}],
                "extmetadata": {"LicenseShortName": {"value": "CC0"}, "Artist": {"value": "<b>Lab</b>"}}}],
        } for rank, one in enumerate(items) for full in [one["images"]["original"]]]}}

    def page(self, kind, words, query, fault, what):
        world = self.server.world
        limit = number(query.get("limit", ""), 25, 1, 50)
        offset = number(query.get("offset", ""), 0, 0, 4999)
        ceiling = query.get("rating", "r").lower()
        ranks = range(offset, min(offset + limit, TOTAL))
        if what == "random":
            ranks = [random.randrange(TOTAL)]
        if what == "translate":
            ranks = [] if "at all" in words else [0]
        data = [] if "nothing" in words.lower() and what != "translate" else [item(world, kind, words, r) for r in ranks]
        if what == "ids":
            data = [one for one in data[:1] for one in [dict(one, id=ident) for ident in words.split(",")]]
        if fault == "odd":
            data = odd_items(world, words)
        elif fault == "only_r":
            data = [dict(one, rating="r") for one in data]
        elif not world.items.get("ratings") and ceiling in RATINGS:
            data = [one for one in data if RATINGS.index(one["rating"]) <= RATINGS.index(ceiling)]
        if fault == "empty":
            data = []
        shown = {"data_null": None, "data_object": {}}.get(fault, picked(data, query.get("fields", "")))
        if what in ("random", "translate") and isinstance(shown, list) and shown:
            shown = shown[0]
        body = json.dumps({
            "data": shown, "meta": self.meta(200, "OK", hashlib.sha1(words.encode()).hexdigest()),
            "pagination": {"total_count": TOTAL if data else 0, "count": len(data), "offset": offset},
        }, ensure_ascii=False).encode()
        return self.deliver(body, fault)

    def deliver(self, body, fault):
        if fault == "bad_json":
            body = body[:len(body) // 2]
        if fault == "drip":
            return self.drip(body)
        if fault == "no_length":
            return self.chunked(body)
        if fault == "cut":
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[:len(body) // 2])
            self.close_connection = True
            return None
        return self.answer(200, body)

    def drip(self, body):
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        released = self.server.world.released
        for byte in body:
            self.wfile.write(bytes([byte]))
            if released.wait(0.05):
                break
        self.close_connection = True

    def chunked(self, body):
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for at in range(0, len(body), 1000):
            piece = body[at:at + 1000]
            self.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
        self.wfile.write(b"0\r\n\r\n")

    # -- faults; True means: go on to an ordinary page

    def fault_limited(self, _):
        self.refuse(429, "lab: too many")

    def fault_limited_message(self, _):
        self.answer_json(429, {"message": "lab: too many"})

    def fault_banned(self, _):
        self.refuse(403, "BANNED", [("Retry-After", "0")])

    def fault_key_refused(self, _):
        self.answer(401, b"lab: no such key\n", "text/plain")

    def fault_synthetic(self, _):
        self.answer_json(200, {"data": [], "meta": self.meta(200, "OK")})

    def fault_inner_limited(self, _):
        self.answer_json(200, {"data": [], "meta": self.meta(429, "lab: too many")})

    def fault_html(self, _):
        self.answer(200, b"<!doctype html><title>lab</title><p>No JSON here", "text/html")

    def fault_garbage(self, _):
        self.answer(200, random.randbytes(20000))

    def fault_bad_gateway(self, _):
        self.answer(502, b"<!doctype html><title>lab</title><p>Bad gateway" + b" " * 12000, "text/html")

    def fault_error(self, _):
        self.answer(500)

    def fault_slow(self, fault):
        least, most = fault.get("between") or [fault.get("seconds", 1)] * 2
        self.server.world.released.wait(random.uniform(float(least), float(most)))
        return True

    def fault_hang(self, _):
        self.server.world.released.wait(120)
        self.close_connection = True

    def fault_drop(self, _):
        self.close_connection = True

    def fault_redirect_host(self, _):
        self.answer(302, headers=[("Location", "https://other.invalid" + self.path)])

    def fault_redirect_http(self, _):
        self.answer(302, headers=[("Location", self.server.world.elsewhere + self.path)])

    def fault_huge(self, _):
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.close_connection = True
        self.wfile.write(b'{"data":[')
        for _ in range(1024):
            self.wfile.write(b" " * 65536)
        self.wfile.write(b"]}")


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def __init__(self, world, role, port=0):
        super().__init__((HOST, port), Handler)
        self.world, self.role = world, role

    def handle_error(self, request, client_address):
        pass  # a client that went away is no news


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--key", default="lab-key", help="the one key that is accepted, as decoded")
    parser.add_argument("--port", type=int, default=0)
    args = parser.parse_args()
    world = World(args.key)
    main_server, other = Server(world, "giphy", args.port), Server(world, "elsewhere")
    world.base = f"http://{HOST}:{main_server.server_port}"
    world.elsewhere = f"http://localhost:{other.server_port}"
    for server in (main_server, other):
        threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"URL={world.base}\nPORT={main_server.server_port}\nELSEWHERE={other.server_port}\n"
          f"KEY={args.key}\nREADY", flush=True)
    sys.stdin.buffer.read()


if __name__ == "__main__":
    sys.exit(main())
