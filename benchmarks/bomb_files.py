"""Files that ask for more memory than they are large: the corpus of bombs.py. Every file is made on the fly."""
import gzip
import io
import pathlib
import struct
import subprocess
import zlib

MIB = 1 << 20


def gz(path, pieces):
    """Compresses pieces of bytes, each of which may be large."""
    packer = zlib.compressobj(6, zlib.DEFLATED, 31)
    with open(path, "wb") as out:
        for piece in pieces:
            out.write(packer.compress(piece))
        out.write(packer.flush())


def zst(path, pieces, *options):
    with subprocess.Popen(["zstd", "-q", "-f", *options, "-o", str(path)], stdin=subprocess.PIPE) as run:
        for piece in pieces:
            run.stdin.write(piece)
        run.stdin.close()


def plain(path, pieces):
    with open(path, "wb") as out:
        for piece in pieces:
            out.write(piece)


# Texts: the pieces of each, and how they are stored.
HEAD = b"age,town,illness\n"
ROW = b"34,Ulm,flu\n"


def texts():
    commas, letters = b"," * MIB, b"x" * MIB
    yield "one line of 600 million commas", gz, ".csv.gz", [commas] * 572
    yield "one line of 600 million commas, zstd", zst, ".csv.zst", [commas] * 572
    yield "a cell of 1 GB", gz, ".csv.gz", [HEAD, ROW] + [letters] * 1000 + [b",Ulm,flu\n"]
    yield "a cell of 1 GB, zstd", zst, ".csv.zst", [HEAD, ROW] + [letters] * 1000 + [b",Ulm,flu\n"]
    yield "a cell of 300 MB, not compressed", plain, ".csv", [HEAD, ROW] + [letters] * 300 + [b",Ulm,flu\n"]
    yield "a quoted cell of 1 GB with line breaks", gz, ".csv.gz", [HEAD, ROW, b'34,"'] + [b"xx\n" * 350_000] * 1000 + [b'",flu\n']
    yield "a quote that is never closed, 1 GB behind it", gz, ".csv.gz", [HEAD, ROW, b'34,"'] + [ROW * 95_000] * 1000
    yield "a header of 20 million columns", gz, ".csv.gz", [b"a," * (1 << 19)] * 40 + [b"a\n1\n"]
    yield "a header of 1 million columns", gz, ".csv.gz", [b"a,"] * (1 << 20) + [b"a\n1\n"]
    yield "a column name of 100 MB", gz, ".csv.gz", [letters] * 100 + [b",town\n1,Ulm\n"]
    yield "20,000 columns", plain, ".csv", [",".join(f"c{at}" for at in range(20_000)).encode(), b"\n", b"1," * 19_999 + b"1\n"]
    yield "a row of 100 million cells", gz, ".csv.gz", [HEAD, ROW] + [commas] * 96 + [b"\n"]
    yield "a row of 10 million cells", gz, ".csv.gz", [HEAD, ROW, b"," * 10_000_000, b"\n"]
    yield "1 GB of equal rows", gz, ".csv.gz", [HEAD] + [ROW * 95_000] * 1000
    yield "1 GB of equal rows, zstd", zst, ".csv.zst", [HEAD] + [ROW * 95_000] * 1000
    yield "600 MB of blank lines", gz, ".csv.gz", [HEAD] + [b"\n" * MIB] * 600
    yield "600 MB of carriage returns", gz, ".csv.gz", [HEAD] + [b"\r" * MIB] * 600
    yield "a NUL at the end of a line of 500 MB", gz, ".csv.gz", [HEAD, ROW] + [commas] * 480 + [b"\0\n"]
    yield "a NUL at the start of a line of 500 MB", gz, ".csv.gz", [HEAD, b"\0"] + [commas] * 480
    yield "a byte that is not UTF-8 before a line of 500 MB", gz, ".csv.gz", [HEAD, b"\xff"] + [commas] * 480
    yield "UTF-16, 1 GB", gz, ".csv.gz", [b"\xff\xfe"] + [b"a\0" * (1 << 19)] * 1000
    yield "many gzip members", members, ".csv.gz", None
    yield "a zstd window of 2 GiB", lambda path, pieces: zst(path, pieces, "--ultra", "--long=31"), ".csv.zst", [HEAD] + [ROW * 95_000] * 200
    yield "1.5 million distinct values of 100 bytes", gz, ".csv.gz", distinct()


def members(path, _):
    one = gzip.compress(b"," * MIB, 9)
    path.write_bytes(one * 600)


def distinct():
    yield HEAD
    for at in range(0, 1_500_000, 10_000):
        yield "".join(f"{number:0100d},Ulm,flu\n" for number in range(at, at + 10_000)).encode()


# Arrow: a stream that incrowd wrote, and lengths in it that are changed.
def table_at(bytes_, at):
    """The fields of a flatbuffer's table; those at its end may be left out."""
    vtable = at - struct.unpack_from("<i", bytes_, at)[0]
    size = struct.unpack_from("<H", bytes_, vtable)[0]
    offsets = struct.unpack_from(f"<{(size - 4) // 2}H", bytes_, vtable + 4)
    return [at + offset if offset else None for offset in offsets] + [None] * 8


def messages(stream, at):
    """Where the messages of an Arrow stream begin, with the fields of each."""
    while True:
        size = struct.unpack_from("<I", stream, at + 4)[0]
        if size == 0:
            return
        root = at + 8 + struct.unpack_from("<I", stream, at + 8)[0]
        fields = table_at(stream, root)
        body = struct.unpack_from("<q", stream, fields[3])[0] if fields[3] else 0
        yield at, fields
        at += 8 + size + body


def arrows(seed):
    """An Arrow file in the form with a footer, as incrowd publishes it, with lengths changed one at a time."""
    def patched(*changes):
        bytes_ = bytearray(seed)
        for form, at, number in changes:
            struct.pack_into(form, bytes_, at, number)
        return bytes(bytes_)
    _, batch = list(messages(seed, front_of(seed)))[-1]
    header = batch[2] + struct.unpack_from("<I", seed, batch[2])[0]
    record = table_at(seed, header)
    nodes = record[1] + struct.unpack_from("<I", seed, record[1])[0]
    buffers = record[2] + struct.unpack_from("<I", seed, record[2])[0]
    yield "a message of 2 GB in 48 bytes", b"\xff\xff\xff\xff\xff\xff\xff\x7f" + b"\0" * 40
    yield "a footer of 2 GB", seed[:-10] + struct.pack("<i", 0x7FFFFFFF) + b"ARROW1"
    yield "a body of 281 TB", patched(("<q", batch[3], 1 << 48))
    yield "a body of 2 GB", patched(("<q", batch[3], 1 << 31))
    yield "a batch of 10¹² rows", patched(("<q", record[0], 10**12))
    yield "a column of 10¹⁸ cells", patched(("<q", nodes + 4, 10**18))
    yield "a buffer of 281 TB", patched(("<q", buffers + 4 + 8, 1 << 48))
    stream = stream_of(seed)
    yield "a stream without its end", stream[:-8]
    yield "two streams", stream + stream
    yield "a stream, then 200 MB of zeros", stream + b"\0" * (200 * MIB)


def front_of(seed):
    """Where the messages of an Arrow file begin, behind the padding."""
    return next(at for at in range(8, 80, 8) if seed[at:at + 4] != b"\0\0\0\0")


def stream_of(seed):
    """The stream that stands in an Arrow file."""
    footer = struct.unpack_from("<i", seed, len(seed) - 10)[0]
    return seed[front_of(seed):len(seed) - 10 - footer]


# Parquet, written by hand: one column `town` of texts.
def varint(number):
    out = bytearray()
    while True:
        out.append(number & 127 | (128 if number > 127 else 0))
        number >>= 7
        if not number:
            return bytes(out)


def zigzag(number):
    return varint((number << 1) ^ (number >> 63))


class Struct:
    """A structure in Thrift's compact protocol."""

    def __init__(self):
        self.out, self.last = bytearray(), 0

    def field(self, id_, kind, value):
        self.out += bytes([(id_ - self.last) << 4 | kind]) + value
        self.last = id_
        return self

    def int(self, id_, number, kind=5):
        return self.field(id_, kind, zigzag(number))

    def text(self, id_, value):
        return self.field(id_, 8, varint(len(value)) + value)

    def struct(self, id_, inner):
        return self.field(id_, 12, inner.done())

    def list(self, id_, kind, items, claimed=None):
        size = len(items) if claimed is None else claimed
        head = bytes([size << 4 | kind]) if size < 15 else bytes([0xF0 | kind]) + varint(size)
        return self.field(id_, 9, head + b"".join(items))

    def done(self):
        return bytes(self.out) + b"\0"


PLAIN, RLE_DICTIONARY, DELTA_LENGTH, DELTA_BYTES = 0, 8, 6, 7


def page(kind, stored, size, values, encoding, claims=None, header=None):
    """A page with its header. `claims` overrules what it says of its sizes."""
    size, packed = (claims or (size, len(stored)))
    head = Struct().int(1, kind).int(2, size).int(3, packed)
    about = Struct().int(1, values).int(2, encoding)
    if kind == 0:
        about.int(3, 3).int(4, 3)
        if header:
            about.struct(5, header)
        head.struct(5, about)
    else:
        head.struct(7, about)
    return head.done() + stored


def parquet(pages, rows, codec=0, dictionary=None, names=(b"town",), claims=None, footer=None):
    """A file of one row group and one column."""
    body = (dictionary or b"") + b"".join(pages)
    chunk = Struct().int(1, 6).list(2, 5, [zigzag(PLAIN)]).list(3, 8, [varint(len(names[0])) + names[0]]).int(4, codec)
    chunk.int(5, rows, 6).int(6, len(body), 6).int(7, claims or len(body), 6).int(9, 4 + len(dictionary or b""), 6)
    if dictionary:
        chunk.int(11, 4, 6)
    column = Struct().int(2, 4, 6).struct(3, chunk)
    group = Struct().list(1, 12, [column.done()]).int(2, len(body), 6).int(3, rows, 6)
    root = Struct().text(4, b"schema").int(5, len(names))
    leaf = [Struct().int(1, 6).int(3, 0).text(4, name).int(6, 0).done() for name in names]
    about = Struct().int(1, 2).list(2, 12, [root.done()] + leaf).int(3, rows, 6).list(4, 12, [group.done()])
    footer = about.done() if footer is None else footer
    return b"PAR1" + body + footer + struct.pack("<I", len(footer)) + b"PAR1"


def text(value):
    return struct.pack("<I", len(value)) + value


def packed(count, first, step):
    """Numbers packed by differences that are all the same."""
    blocks = b"".join(zigzag(step) + b"\0\0\0\0" for _ in range((max(count - 1, 0) + 127) // 128))
    return varint(128) + varint(4) + varint(count) + zigzag(first) + blocks


def parquets():
    cell = text(b"Ulm") * 100
    good = page(0, cell, len(cell), 100, PLAIN)
    long = text(b"x" * MIB)
    run = bytes([1]) + varint(1_000_000 << 1) + b"\0"
    yield "a footer of 2 GB", b"PAR1" + b"\0" * 100 + struct.pack("<I", 0x7FFFFFFF) + b"PAR1"
    yield "a list of 2 billion row groups", parquet([], 0, footer=Struct().int(1, 2).list(2, 12, [], 0).int(3, 0, 6).list(4, 12, [], 0x7FFFFFFF).done())
    yield "2 million columns", parquet([good], 100, names=[f"c{at}".encode() for at in range(2_000_000)])
    yield "a page that declares 2 GB", parquet([page(0, cell, 0, 100, PLAIN, (0x7FFFFFFF, len(cell)))], 100, codec=2)
    yield "a page that declares 1 GB in snappy", parquet([page(0, cell, 0, 100, PLAIN, (1 << 30, len(cell)))], 100, codec=1)
    yield "a page that becomes 1 GB and says so", parquet([page(0, gzip.compress(b"\0" * (1 << 30), 9), 1 << 30, 1 << 28, PLAIN)], 1 << 28, codec=2)
    yield "a page that becomes 1 GB and says 400 bytes", parquet([page(0, gzip.compress(b"\0" * (1 << 30), 9), 400, 100, PLAIN)], 100, codec=2)
    yield "a page of 2 GB behind 400 bytes", parquet([page(0, cell, 0, 100, PLAIN, (len(cell), 0x7FFFFFFF))], 100)
    yield "a statistic of 281 TB in the header of a page", parquet([page(0, cell, len(cell), 100, PLAIN, header=Struct().field(1, 8, varint(1 << 48)))], 100)
    yield "a dictionary of 2 billion entries in 400 bytes", parquet([good], 100, dictionary=page(2, cell, len(cell), 0x7FFFFFFF, PLAIN))
    over = text(b"x" * (MIB + 1))
    yield "a dictionary entry of more than 1 MB in a million rows", parquet([page(0, run, len(run), 1_000_000, RLE_DICTIONARY)], 1_000_000, dictionary=page(2, over, len(over), 1, PLAIN))
    yield "a dictionary entry of 1 MB in 1 million rows", parquet([page(0, run, len(run), 1_000_000, RLE_DICTIONARY)], 1_000_000, dictionary=page(2, long, len(long), 1, PLAIN))
    empty = text(b"") * 8_000_000
    yield "a dictionary of 8 million empty texts", parquet([page(0, run, len(run), 1_000_000, RLE_DICTIONARY)], 1_000_000, codec=2, dictionary=page(2, gzip.compress(empty), len(empty), 8_000_000, PLAIN))
    lengths = packed(0x7FFFFFFF, 0, 0)[:20]
    yield "2 billion lengths in 20 bytes", parquet([page(0, lengths, len(lengths), 100, DELTA_LENGTH)], 100)
    prefixes = packed(100_000, 0, 0)
    firsts = varint(128) + varint(4) + varint(100_000) + zigzag(0) + zigzag(0) + b"\x15\0\0\0" + (1 << 20).to_bytes(84, "little")
    prefix_page = firsts + b"".join(zigzag(0) + b"\0\0\0\0" for _ in range(781)) + packed(100_000, MIB, 0)[:8] + b"x" * MIB
    yield "a prefix of 1 MB that 100,000 values repeat", parquet([page(0, prefix_page, len(prefix_page), 100_000, DELTA_BYTES)], 100_000)
    yield "a column of 281 TB", parquet([good], 100, claims=1 << 48)
    yield "10¹² rows in 400 bytes", parquet([good], 10**12)
    del prefixes


def hierarchies():
    yield "a hierarchy of 10 million values", "".join(f"{at};*\n" for at in range(10_000_000)).encode()
    yield "a hierarchy line of 50 million levels", b"Ulm" + b";" * 50_000_000 + b"*\n"
    yield "a hierarchy of 200 MB in one label", b"Ulm;" + b"x" * (200 * MIB) + b";*\n"
    yield "lines of one cell, and one of 256", b"".join(b"%d;*\n" % at for at in range(200_000)) + b"Ulm" + b";x" * 254 + b";*\n"


def plans():
    head = b'version = 1\n[source]\npath = "small.csv"\n[policy]\nk = 2\n'
    yield "a plan of 100 MB", head + b"# " + b"x" * (100 * MIB)
    column = b'[[column]]\nname = "c%d"\nrole = "insensitive"\n'
    yield "a plan of 100,000 columns", head + b"".join(column % at for at in range(100_000))
    yield "a plan with a million brackets", head + b"x = " + b"[" * 1_000_000


def manifests():
    yield "a manifest of 100 MB", b'{"release": "' + b"x" * (100 * MIB) + b'"}'
    yield "a manifest with a million brackets", b'{"release": ' + b"[" * 1_000_000
    yield "a manifest of 15 MB of empty files", b'{"files": [' + b"{}," * 5_000_000 + b"{}]}"
    yield "a manifest of 15 MB of numbers", b'{"release": "x", "rows": [' + b"1," * 7_000_000 + b"1]}"


def corpus(folder, seed_arrow, only=""):
    """All files: what it is, the kind of file, and where it is. One at a time, and removed behind the caller."""
    folder = pathlib.Path(folder)
    for what, store, ending, pieces in texts():
        if only not in what:
            continue
        path = folder / f"bomb{ending}"
        store(path, pieces)
        yield what, "table", path
    for what, bytes_ in arrows(seed_arrow):
        if only not in f"Arrow: {what}":
            continue
        path = folder / "bomb.arrow"
        path.write_bytes(bytes_)
        yield f"Arrow: {what}", "table", path
    for what, bytes_ in parquets():
        if only not in f"Parquet: {what}":
            continue
        path = folder / "bomb.parquet"
        path.write_bytes(bytes_)
        yield f"Parquet: {what}", "table, to read" if "1 million rows" in what else "table", path
    for what, bytes_ in hierarchies():
        if only not in what:
            continue
        path = folder / "hierarchy.csv"
        path.write_bytes(bytes_)
        yield what, "hierarchy", path
    for what, bytes_ in plans():
        if only not in what:
            continue
        path = folder / "plan.toml"
        path.write_bytes(bytes_)
        yield what, "plan", path
    for what, bytes_ in manifests():
        if only not in what:
            continue
        path = folder / "manifest.json"
        path.write_bytes(bytes_)
        yield what, "manifest", path
