#!/usr/bin/env python3
"""Draws the sample collection and writes the C file that embeds it. Python 3, standard library only.

    python3 make_samples.py

The drawings are made for this project. Running it again gives the same bytes.
"""
import math
import random
import struct
from pathlib import Path

HERE = Path(__file__).parent


# ---- GIF89a -------------------------------------------------------------------------------------------------------

def lzw(pixels, bits):
    """Compresses colour numbers (GIF89a, appendix F)."""
    clear, end = 1 << bits, (1 << bits) + 1
    table, size, following = {bytes([i]): i for i in range(clear)}, bits + 1, end + 1
    out, buffer, filled = bytearray(), 0, 0

    def emit(code):
        nonlocal buffer, filled
        buffer |= code << filled
        filled += size
        while filled >= 8:
            out.append(buffer & 255)
            buffer >>= 8
            filled -= 8

    emit(clear)
    word = b""
    for pixel in pixels:
        longer = word + bytes([pixel])
        if longer in table:
            word = longer
            continue
        emit(table[word])
        if following < 4096:
            table[longer] = following
            if following == 1 << size:
                size += 1
            following += 1
        else:
            emit(clear)
            table, size, following = {bytes([i]): i for i in range(clear)}, bits + 1, end + 1
        word = bytes([pixel])
    emit(table[word])
    # A reader has as many entries by now as if one more had been made here.
    if following == 1 << size and size < 12:
        size += 1
    emit(end)
    if filled:
        out.append(buffer & 255)
    return bytes(out)


def sub_blocks(data):
    return b"".join(bytes([len(data[i:i + 255])]) + data[i:i + 255] for i in range(0, len(data), 255)) + b"\0"


def changed_part(old, new, width, height):
    """The smallest rectangle in which two frames differ; one pixel when they don't."""
    rows = [y for y in range(height) if old[y * width:(y + 1) * width] != new[y * width:(y + 1) * width]]
    if not rows:
        return 0, 0, 1, 1
    top, bottom = rows[0], rows[-1] + 1
    left, right = width, 0
    for y in range(top, bottom):
        a, b = old[y * width:(y + 1) * width], new[y * width:(y + 1) * width]
        if a != b:
            columns = [x for x in range(width) if a[x] != b[x]]
            left, right = min(left, columns[0]), max(right, columns[-1] + 1)
    return left, top, right - left, bottom - top


def gif(width, height, palette, frames, delay):
    """`delay` in hundredths of a second; loops for ever."""
    bits = max(2, (len(palette) - 1).bit_length())
    table = b"".join(bytes(c) for c in palette) + bytes(3 * ((1 << bits) - len(palette)))
    out = [b"GIF89a", struct.pack("<HHBBB", width, height, 0x80 | (bits - 1) << 4 | bits - 1, 0, 0), table,
           b"\x21\xFF\x0BNETSCAPE2.0\x03\x01\0\0\0"]
    previous = None
    for frame in frames:
        x, y, w, h = (0, 0, width, height) if previous is None else changed_part(previous, frame, width, height)
        part = b"".join(bytes(frame[(y + row) * width + x:(y + row) * width + x + w]) for row in range(h))
        out.append(b"\x21\xF9\x04" + struct.pack("<BHB", 1 << 2, delay, 0) + b"\0")
        out.append(b"\x2C" + struct.pack("<HHHHB", x, y, w, h, 0) + bytes([bits]) + sub_blocks(lzw(part, bits)))
        previous = frame
    return b"".join(out) + b"\x3B"


# ---- Drawing ------------------------------------------------------------------------------------------------------

class Canvas:
    def __init__(self, width, height, colour=0):
        self.width, self.height = width, height
        self.pixels = bytearray([colour]) * (width * height)

    def box(self, x, y, w, h, colour):
        left, right = max(0, int(x)), min(self.width, int(x + w))
        for row in range(max(0, int(y)), min(self.height, int(y + h))):
            if right > left:
                self.pixels[row * self.width + left:row * self.width + right] = bytes([colour]) * (right - left)

    def ellipse(self, cx, cy, rx, ry, colour):
        for row in range(max(0, int(cy - ry)), min(self.height, int(cy + ry) + 1)):
            reach = 1 - ((row - cy) / ry) ** 2
            if reach >= 0:
                half = rx * math.sqrt(reach)
                self.box(round(cx - half), row, round(2 * half), 1, colour)

    def disc(self, cx, cy, radius, colour):
        self.ellipse(cx, cy, radius, radius, colour)

    def polygon(self, points, colour):
        ys = [p[1] for p in points]
        for row in range(max(0, int(min(ys))), min(self.height, int(max(ys)) + 1)):
            hits = []
            for (x1, y1), (x2, y2) in zip(points, points[1:] + points[:1]):
                if (y1 <= row + .5) != (y2 <= row + .5):
                    hits.append(x1 + (row + .5 - y1) * (x2 - x1) / (y2 - y1))
            hits.sort()
            for a, b in zip(hits[::2], hits[1::2]):
                self.box(round(a), row, round(b) - round(a), 1, colour)

    def line(self, x1, y1, x2, y2, thick, colour):
        length = math.hypot(x2 - x1, y2 - y1) or 1
        dx, dy = (y2 - y1) / length * thick / 2, (x1 - x2) / length * thick / 2
        self.polygon([(x1 + dx, y1 + dy), (x2 + dx, y2 + dy), (x2 - dx, y2 - dy), (x1 - dx, y1 - dy)], colour)
        self.disc(x1, y1, thick / 2, colour)
        self.disc(x2, y2, thick / 2, colour)

    def sprite(self, rows, x, y, scale, colours):
        """`rows` of letters, each standing for a colour of `colours`; others are see-through."""
        for j, row in enumerate(rows):
            for i, letter in enumerate(row):
                if letter in colours:
                    self.box(x + i * scale, y + j * scale, scale, scale, colours[letter])

    def text(self, words, cx, y, scale, colour):
        x = cx - (len(words) * 6 - 1) * scale / 2
        for letter in words:
            for j, bits in enumerate(FONT[letter]):
                for i in range(5):
                    if bits >> (4 - i) & 1:
                        self.box(x + i * scale, y + j * scale, scale, scale, colour)
            x += 6 * scale

    def heart(self, cx, cy, size, colour):
        self.disc(cx - size / 2, cy - size / 4, size / 1.9, colour)
        self.disc(cx + size / 2, cy - size / 4, size / 1.9, colour)
        self.polygon([(cx - size * .99, cy - size * .05), (cx + size * .99, cy - size * .05), (cx, cy + size * 1.1)], colour)


FONT = {
    " ": [0] * 7, "!": [4, 4, 4, 4, 4, 0, 4],
    "A": [14, 17, 17, 31, 17, 17, 17], "B": [30, 17, 17, 30, 17, 17, 30], "C": [14, 17, 16, 16, 16, 17, 14],
    "D": [30, 17, 17, 17, 17, 17, 30], "E": [31, 16, 16, 30, 16, 16, 31], "F": [31, 16, 16, 30, 16, 16, 16],
    "G": [14, 17, 16, 23, 17, 17, 14], "H": [17, 17, 17, 31, 17, 17, 17], "I": [14, 4, 4, 4, 4, 4, 14],
    "K": [17, 18, 20, 24, 20, 18, 17], "L": [16, 16, 16, 16, 16, 16, 31], "M": [17, 27, 21, 21, 17, 17, 17],
    "N": [17, 25, 21, 19, 17, 17, 17], "O": [14, 17, 17, 17, 17, 17, 14], "P": [30, 17, 17, 30, 16, 16, 16],
    "R": [30, 17, 17, 30, 20, 18, 17], "S": [15, 16, 16, 14, 1, 1, 30], "T": [31, 4, 4, 4, 4, 4, 4],
    "U": [17, 17, 17, 17, 17, 17, 14], "W": [17, 17, 17, 21, 21, 27, 17], "Y": [17, 17, 10, 4, 4, 4, 4],
    "Z": [31, 1, 2, 4, 8, 16, 31],
}

BLACK, WHITE, RED, ORANGE, YELLOW, GREEN, BLUE, PURPLE = range(8)
PINK, BROWN, SKY, NIGHT, GREY, DARK, SKIN, CREAM = range(8, 16)
PALETTE = [
    (24, 24, 32), (250, 250, 250), (226, 62, 68), (244, 146, 54), (252, 214, 74), (86, 186, 96), (66, 122, 226), (150, 86, 208),
    (246, 140, 180), (128, 84, 56), (140, 206, 246), (28, 34, 74), (150, 154, 166), (70, 76, 92), (252, 198, 150), (252, 240, 214),
]
BRIGHT = [RED, ORANGE, YELLOW, GREEN, SKY, PURPLE, PINK]


def wave(i, n, turns=1):
    return math.sin(2 * math.pi * turns * i / n)


# ---- The collection: each function yields its frames ---------------------------------------------------------------

def party_confetti(w=320, h=180, n=16):
    rng = random.Random(1)
    bits = [(rng.randrange(w), rng.randrange(h), rng.choice([1, 1, 2]), rng.choice(BRIGHT), rng.randrange(8)) for _ in range(70)]
    for i in range(n):
        c = Canvas(w, h, NIGHT)
        for x, y, speed, colour, turn in bits:
            top = (y + speed * i * h / n) % h
            c.box(x + 5 * wave(i + turn, n), top, 3 + (i + turn) // 2 % 4, 6, colour)
        c.text("PARTY!", w / 2, 62 + 6 * wave(i, n, 2), 6, BRIGHT[i // 2 % len(BRIGHT)])
        yield c


def party_dance(w=320, h=180, n=12):
    for i in range(n):
        c = Canvas(w, h, PURPLE)
        for k in range(8):
            c.box(k * 40, 140, 40, 40, BRIGHT[(k + i // 2) % len(BRIGHT)])
        for k, (x, shirt) in enumerate([(80, YELLOW), (160, RED), (240, GREEN)]):
            s = wave(i + 4 * k, n)
            y = 60 + 8 * abs(wave(i + 4 * k, n, 1))
            c.line(x, y + 46, x - 14 + 4 * s, 146, 7, BLACK)
            c.line(x, y + 46, x + 14 + 4 * s, 146, 7, BLACK)
            c.line(x, y + 20, x - 26, y + 18 - 22 * s, 6, SKIN)
            c.line(x, y + 20, x + 26, y + 18 + 22 * s, 6, SKIN)
            c.ellipse(x + 2 * s, y + 32, 12, 19, shirt)
            c.disc(x + 5 * s, y, 13, SKIN)
            c.box(x + 5 * s - 6, y - 3, 3, 4, BLACK)
            c.box(x + 5 * s + 4, y - 3, 3, 4, BLACK)
        yield c


CAT = [
    "..o........o....", ".ooo......ooo...", ".opoo....oopo...", ".oooooooooooo...", ".oooooooooooo...", ".ookooooookoo...",
    ".ookooooookoo...", ".oooookkooooo...", "..ooowwwwooo....", "...oowwwwoo.....", "..oooooooooo....", ".oooowwwwoooo...",
    ".ooowwwwwwooo...", ".ooowwwwwwooo...", ".ooowwwwwwooo...", ".oowoooooowoo...",
]
CAT_COLOURS = {"o": ORANGE, "p": PINK, "k": BLACK, "w": CREAM}


def cat_hello(w=320, h=180, n=10):
    for i in range(n):
        c = Canvas(w, h, SKY)
        c.box(0, 150, w, 30, GREEN)
        c.line(150, 140, 182 + 6 * wave(i, n), 112, 10, ORANGE)
        c.sprite(CAT, 60, 26, 8, CAT_COLOURS)
        tip = 22 * wave(i, n, 2)
        c.line(148, 118, 176 + tip, 70, 15, ORANGE)
        c.disc(177 + tip, 66, 10, CREAM)
        c.text("HELLO!", 246, 30, 3, WHITE)
        yield c


def cat_sleep(w=240, h=135, n=12):
    for i in range(n):
        c = Canvas(w, h, NIGHT)
        for k in range(14):
            c.box(17 * k + 5, 11 + k * 37 % 50, 2, 2, WHITE if (k + i) % 6 else YELLOW)
        c.disc(202, 30, 17, YELLOW)
        c.disc(194, 26, 15, NIGHT)
        swell = 2 * wave(i, n)
        c.box(0, 110, w, 25, BROWN)
        c.ellipse(110, 92 - swell, 56, 24 + swell, ORANGE)
        c.disc(64, 88, 20, ORANGE)
        c.polygon([(46, 80), (50, 60), (62, 72)], ORANGE)
        c.polygon([(66, 72), (80, 60), (82, 80)], ORANGE)
        c.box(54, 88, 7, 2, BLACK)
        c.box(67, 88, 7, 2, BLACK)
        for k in range(3):
            if i >= k * 3:
                c.text("Z", 92 + 15 * k, 52 - 15 * k, 1 + k, WHITE)
        yield c


def loading(w=240, h=135, n=12):
    for i in range(n):
        c = Canvas(w, h, CREAM)
        for k in range(12):
            a = 2 * math.pi * k / 12
            age = (i - k) % 12
            c.disc(120 + 38 * math.sin(a), 67 - 38 * math.cos(a), 8 - age / 3, BLUE if age < 4 else SKY if age < 8 else GREY)
        yield c


def bouncing_ball(w=320, h=180, n=16):
    for i in range(n):
        c = Canvas(w, h, SKY)
        c.box(0, 150, w, 30, GREEN)
        lift = abs(math.sin(math.pi * 2 * i / n))
        x = 50 + 220 * (1 - abs(2 * i / n - 1))
        squash = 6 if lift < .2 else 0
        c.ellipse(x, 154, 26 - 12 * lift, 4, DARK)
        c.ellipse(x, 124 - 96 * lift + squash, 26 + squash, 26 - squash, RED)
        c.ellipse(x - 8, 114 - 96 * lift + squash, 7, 6, PINK)
        yield c


def thanks_heart(w=320, h=180, n=12):
    for i in range(n):
        c = Canvas(w, h, PINK)
        beat = 46 + (8 if i in (1, 2) else 4 if i in (0, 3, 5, 6) else 0)
        c.heart(160, 66, beat + 4, WHITE)
        c.heart(160, 66, beat, RED)
        c.ellipse(134, 44, 9, 6, PINK)
        c.text("THANKS!", 160, 146, 4, WHITE)
        yield c


def wow_fireworks(w=480, h=270, n=18):
    rng = random.Random(5)
    shots = [(rng.randrange(70, 410), rng.randrange(50, 150), BRIGHT[k % len(BRIGHT)], k * 3) for k in range(6)]
    for i in range(n):
        c = Canvas(w, h, NIGHT)
        for x, y, colour, start in shots:
            age = (i - start) % n
            if age < 5:
                c.box(x - 1, h - (h - y) * age / 5, 4, 14, YELLOW)
            elif age < 14:
                for ring in (1, .6):
                    for k in range(16):
                        a = 2 * math.pi * (k + ring) / 16
                        r = (age - 4) * 10 * ring
                        size = 5 - (age - 5) / 3
                        c.box(x + r * math.sin(a), y - r * math.cos(a) + (age - 5) ** 2 / 3, size, size, colour)
        c.text("WOW!", w / 2, 206, 7, WHITE if i % 6 < 3 else YELLOW)
        yield c


def hand(c, x, y, flip):
    """A fist with its thumb up, or down."""
    s = -1 if flip else 1
    c.polygon([(x - 26, y - 4 * s), (x - 8, y - 50 * s), (x + 10, y - 50 * s), (x + 10, y - 8 * s)], SKIN)
    c.disc(x + 1, y - 50 * s, 10, SKIN)
    c.box(x - 30, min(y - 10 * s, y + 42 * s), 60, 52, SKIN)
    for k in range(4):
        c.ellipse(x + 30, y + (-2 + 13 * k) * s, 12, 7, SKIN)
        c.box(x + 20, y + (4 + 13 * k) * s, 20, 2, BROWN)
    c.box(x - 58, min(y - 6 * s, y + 40 * s), 30, 46, BLUE)


def thumbs_up(w=320, h=180, n=10):
    for i in range(n):
        c = Canvas(w, h, YELLOW)
        hand(c, 120, 92 + 9 * wave(i, n), False)
        c.text("YES!", 236, 76, 5, GREEN)
        yield c


def thumbs_down(w=320, h=180, n=10):
    for i in range(n):
        c = Canvas(w, h, GREY)
        hand(c, 120, 84 + 9 * wave(i, n), True)
        c.text("NO", 240, 74, 6, RED)
        yield c


def no_shake(w=240, h=135, n=12):
    for i in range(n):
        c = Canvas(w, h, BLUE)
        turn = 16 * wave(i, n, 2)
        c.disc(120, 66, 50, YELLOW)
        c.ellipse(102 + turn, 54, 6, 9, BLACK)
        c.ellipse(138 + turn, 54, 6, 9, BLACK)
        c.box(100 + turn, 88, 40, 5, BLACK)
        c.line(92 + turn, 38, 108 + turn, 43, 4, BLACK)
        c.line(148 + turn, 38, 132 + turn, 43, 4, BLACK)
        yield c


def laughing(w=240, h=135, n=8):
    for i in range(n):
        c = Canvas(w, h, GREEN)
        y = 66 + 5 * wave(i, n, 2)
        c.disc(120, y, 50, YELLOW)
        for x in (100, 140):
            c.line(x - 9, y - 8, x, y - 18, 4, BLACK)
            c.line(x, y - 18, x + 9, y - 8, 4, BLACK)
        c.ellipse(120, y + 12, 30, 8 + 18 * (i % 4 > 1), BLACK)
        c.box(88, y + 2, 64, 8, YELLOW)
        c.box(94, y + 10, 52, 5, WHITE)
        c.ellipse(70, y + 2 + 4 * (i % 4), 6, 10, SKY)
        c.ellipse(170, y + 2 + 4 * (i % 4), 6, 10, SKY)
        yield c


def snow(w=320, h=180, n=16):
    rng = random.Random(9)
    flakes = [(rng.randrange(w), rng.randrange(h), rng.choice([1, 1, 2]), rng.choice([2, 2, 3, 4])) for _ in range(60)]
    for i in range(n):
        c = Canvas(w, h, BLUE)
        c.ellipse(160, 190, 240, 50, WHITE)
        for x, top in ((60, 70), (110, 86), (262, 64)):
            c.box(x - 4, 130, 8, 20, BROWN)
            for k in range(3):
                c.polygon([(x, top + 18 * k - 14), (x - 14 - 6 * k, top + 18 * k + 20), (x + 14 + 6 * k, top + 18 * k + 20)], GREEN)
        c.disc(190, 132, 20, WHITE)
        c.disc(190, 104, 14, WHITE)
        c.box(184, 100, 3, 3, BLACK)
        c.box(194, 100, 3, 3, BLACK)
        c.polygon([(190, 105), (204, 108), (190, 109)], ORANGE)
        for x, y, speed, size in flakes:
            c.box((x + 8 * wave(i + x, n)) % w, (y + speed * i * h / n) % h, size, size, WHITE)
        yield c


def rainbow(w=320, h=180, n=14):
    bands = [RED, ORANGE, YELLOW, GREEN, BLUE, PURPLE]
    for i in range(n):
        c = Canvas(w, h, SKY)
        for k, colour in enumerate(bands):
            c.disc(160, 160, 138 - 12 * k, colour)
        c.disc(160, 160, 66, SKY)
        reach = min(1, i / 9)
        if reach < 1:
            a = math.pi * reach
            far = [(160 + 400 * -math.cos(a + (math.pi - a) * k / 6), 160 - 400 * math.sin(a + (math.pi - a) * k / 6)) for k in range(7)]
            c.polygon([(160, 160)] + far, SKY)
        c.box(0, 160, w, 20, GREEN)
        for x in (44, 276):
            for dx, r in ((-18, 14), (0, 20), (18, 14)):
                c.disc(x + dx + 2 * wave(i, n), 154, r, WHITE)
        yield c


def rocket(w=320, h=180, n=16):
    rng = random.Random(3)
    stars = [(rng.randrange(w), rng.randrange(h)) for _ in range(40)]
    for i in range(n):
        c = Canvas(w, h, NIGHT)
        for k, (x, y) in enumerate(stars):
            c.box(x, (y + (1 + k % 2) * i * h / n) % h, 2, 2 + k % 2 * 4, WHITE)
        x, y = 160 + 2 * wave(i, n, 4), 84
        flame = 26 + 10 * (i % 3)
        c.polygon([(x - 14, y + 42), (x + 14, y + 42), (x, y + 42 + flame)], ORANGE)
        c.polygon([(x - 7, y + 42), (x + 7, y + 42), (x, y + 42 + flame * .6)], YELLOW)
        c.polygon([(x - 18, y + 10), (x - 38, y + 48), (x - 14, y + 40)], RED)
        c.polygon([(x + 18, y + 10), (x + 38, y + 48), (x + 14, y + 40)], RED)
        c.ellipse(x, y, 20, 48, WHITE)
        c.polygon([(x - 13, y - 36), (x + 13, y - 36), (x, y - 60)], RED)
        c.disc(x, y - 8, 9, BLUE)
        c.disc(x - 3, y - 11, 3, SKY)
        yield c


def coffee(w=240, h=135, n=12):
    for i in range(n):
        c = Canvas(w, h, CREAM)
        c.box(0, 112, w, 23, BROWN)
        for k in range(3):
            for y in range(8, 46, 3):
                x = 96 + 20 * k + 5 * math.sin(y / 7 + 2 * math.pi * i / n + k)
                c.box(x, y, 5, 3, GREY)
        c.disc(158, 82, 18, RED)
        c.disc(158, 82, 10, CREAM)
        c.box(80, 56, 76, 56, RED)
        c.ellipse(118, 57, 38, 7, BLACK)
        c.heart(118, 82, 11, WHITE)
        yield c


def sad_rain(w=240, h=135, n=10):
    rng = random.Random(4)
    drops = [(rng.randrange(40, 200), rng.randrange(60, 135)) for _ in range(26)]
    for i in range(n):
        c = Canvas(w, h, DARK)
        for x, y in drops:
            c.box(x, 70 + (y + i * 65 / n) % 65, 3, 9, SKY)
        for dx, r in ((-44, 24), (-14, 34), (24, 30), (50, 20)):
            c.disc(120 + dx, 48, r, GREY)
        c.box(58, 50, 126, 22, GREY)
        c.box(100, 44, 5, 8 if i else 2, BLACK)
        c.box(132, 44, 5, 8 if i else 2, BLACK)
        c.ellipse(118, 66, 13, 5, BLACK)
        c.ellipse(118, 69, 13, 5, GREY)
        yield c


def dog_happy(w=240, h=135, n=8):
    for i in range(n):
        c = Canvas(w, h, GREEN)
        c.box(0, 0, w, 86, SKY)
        swing = 16 * wave(i, n, 2)
        c.line(70, 82, 52 + swing, 46, 8, BROWN)
        c.ellipse(108, 88, 46, 24, BROWN)
        for x in (74, 92, 128, 144):
            c.box(x, 100, 10, 26, BROWN)
        y = 62 + 2 * wave(i, n, 2)
        c.disc(164, y, 25, BROWN)
        c.ellipse(182, y + 8, 16, 11, CREAM)
        c.ellipse(196, y + 3, 5, 4, BLACK)
        c.ellipse(184, y + 22 + 2 * (i % 2), 6, 9, PINK)
        c.box(166, y - 8, 5, 6, BLACK)
        c.ellipse(146, y + 2, 9, 20, BLACK)
        yield c


COLLECTION = [
    ("party-confetti-celebrate", party_confetti, 7), ("party-dance-dancing-people", party_dance, 8),
    ("cat-waving-hello-hi", cat_hello, 9), ("cat-sleep-good-night", cat_sleep, 14), ("loading-spinner-wait", loading, 8),
    ("bouncing-ball", bouncing_ball, 5), ("thanks-thank-you-heart-love", thanks_heart, 8), ("wow-fireworks-congratulations", wow_fireworks, 8),
    ("thumbs-up-yes-ok-good", thumbs_up, 7), ("thumbs-down-no-bad", thumbs_down, 7), ("no-nope-shaking-head", no_shake, 7),
    ("lol-laughing-happy-funny", laughing, 9), ("snow-winter-christmas", snow, 8), ("rainbow-happy-hope", rainbow, 9),
    ("rocket-launch-ship-it-go", rocket, 6), ("coffee-good-morning", coffee, 10), ("sad-rain-cry-cloud", sad_rain, 7),
    ("dog-happy-tail-wag", dog_happy, 8),
]


def c_file(names):
    """#embed is C23; clang takes it for older C too, and the warning about that is switched off where it is used."""
    lines = ["// Written by make_samples.py.", '#include "CSamples.h"', "", "#pragma clang diagnostic push",
             '#pragma clang diagnostic ignored "-Wc23-extensions"', ""]
    for k, name in enumerate(names):
        lines += [f"static const unsigned char sample_{k}[] = {{", f'#embed "gifs/{name}"', "};"]
    lines += ["", "#pragma clang diagnostic pop", "", "static const gifbot_sample samples[] = {"]
    lines += [f'    {{"{name}", sample_{k}, sizeof sample_{k}}},' for k, name in enumerate(names)]
    lines += ["};", "", "const size_t gifbot_sample_count = sizeof samples / sizeof samples[0];", "",
              "gifbot_sample gifbot_sample_at(size_t place) { return samples[place]; }"]
    return "\n".join(lines) + "\n"


def main():
    folder = HERE / "gifs"
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.gif"):
        old.unlink()
    total = 0
    for name, draw, delay in COLLECTION:
        frames = list(draw())
        data = gif(frames[0].width, frames[0].height, PALETTE, [bytes(f.pixels) for f in frames], delay)
        (folder / f"{name}.gif").write_bytes(data)
        total += len(data)
        print(f"{name}.gif {frames[0].width}x{frames[0].height} {len(frames)} frames {len(data)} bytes")
    names = sorted(f"{name}.gif" for name, _, _ in COLLECTION)
    (HERE / "samples.c").write_text(c_file(names))
    print(f"{len(names)} files, {total} bytes")


if __name__ == "__main__":
    main()
