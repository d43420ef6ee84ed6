"""Real animated GIFs of any size, made from nothing."""

import functools
import struct


def lzw(width, height, value, size=2):
    """One frame of a single colour as GIF's LZW data, in sub-blocks.

    Of a run of one value the table grows by ever longer runs of it, so the codes can be
    computed without a table: code END + k stands for a run of k + 1 pixels.
    """
    clear, end = 1 << size, (1 << size) + 1
    bits, held, out = 0, 0, bytearray()
    width_of_code, following = size + 1, end + 1

    def put(code):
        nonlocal bits, held
        held |= code << bits
        bits += width_of_code
        while bits >= 8:
            out.append(held & 255)
            held >>= 8
            bits -= 8

    put(clear)
    left, run, known = width * height, 1, False
    while left > 0:
        if following > 4094:
            put(clear)
            width_of_code, following, run, known = size + 1, end + 1, 1, False
        take = min(run, left)
        put(value if take == 1 else end + take - 1)
        if known:
            following += 1
            if following == 1 << width_of_code and width_of_code < 12:
                width_of_code += 1
        known = True
        left -= take
        run += 1
    put(end)
    if bits:
        out.append(held & 255)
    blocks = bytearray([size])
    for at in range(0, len(out), 255):
        piece = out[at:at + 255]
        blocks += bytes([len(piece)]) + piece
    return bytes(blocks + b"\0")


PALETTE = 13


def gif(width, height, frames=3, shade=0):
    """A GIF89a that loops for ever; every frame has another colour."""
    data = bytearray(unshaded(width, height, frames))
    data[PALETTE] = 20 + shade % 200
    return bytes(data)


# Files that differ in their shade alone cost once: a page of results names a hundred of them.
@functools.lru_cache(maxsize=256)
def unshaded(width, height, frames):
    palette = bytes([20, 60, 90, 230, 120, 40, 60, 200, 120, 250, 250, 240])
    data = bytearray(b"GIF89a" + struct.pack("<HHBBB", width, height, 0b1111_0001, 0, 0) + palette)
    if frames > 1:
        data += b"\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0"
    for frame in range(frames):
        data += b"\x21\xf9\x04\x04" + struct.pack("<H", 20) + b"\0\0"
        data += b"\x2c" + struct.pack("<HHHHB", 0, 0, width, height, 0) + lzw(width, height, frame % 4)
    return bytes(data + b"\x3b")
