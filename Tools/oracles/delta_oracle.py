#!/usr/bin/env python3
"""Makes and checks string deltas with the `diff-match-patch` package from PyPI.

    delta_oracle.py --make --seed 1 --count 2500 >FILE
    delta_oracle.py --check <FILE

A line is a JSON array: [OLD, NEW, DELTA]. With --make, prints as many lines as asked for, which
depend on the seed alone; the deltas are those of diff_main, diff_cleanupEfficiency and
diff_toDelta, as the clients make them. With --check, reads such lines with deltas of somebody else,
applies them, and compares the result; what is kept, dropped and inserted has to be written as
diff_toDelta writes it. Prints one line that begins with "ok" and tells how many there were and how
many deltas are longer than its own, or what is wrong, and exits with 1.

The package compares code points and counts UTF-16 code units.
"""

import argparse
import json
import random
import sys

from diff_match_patch import diff_match_patch

PIECES = [
    "a", "b", "c", " ", "\n", "é", "e\u0301", "日", "本", "ß", "Ж", "😀", "😁", "🙋", "🙌", "👩‍👩‍👧", "💩",
    "☺️", "🖖🏿", "%", "+", "\t", '"', "\\", "/", "[", "]", "`", "{", "|", "}", "^", "<", ">", "~", "*",
    "!", "#", "$", "&", "'", "(", ")", ",", ":", ";", "=", "?", "@", "-", "_", ".", "\x00", "\x7f",
    "\uffff", "\U0010ffff", "\u2028", "the ", "note ", "Simperium ", "0", "Z",
]


def comparer():
    dmp = diff_match_patch()
    # No clock: the same seed gives the same deltas on every machine.
    dmp.Diff_Timeout = 0
    return dmp


def make_delta(dmp, old, new):
    diffs = dmp.diff_main(old, new)
    if len(diffs) > 2:
        dmp.diff_cleanupEfficiency(diffs)
    return dmp.diff_toDelta(diffs)


def text(rng, most):
    return "".join(rng.choice(PIECES) for _ in range(rng.randrange(most + 1)))


def edited(rng, old):
    new = list(old)
    for _ in range(rng.randrange(6)):
        start = rng.randrange(len(new) + 1)
        new[start:start + rng.randrange(4)] = text(rng, 3)
    return "".join(new)


def make(seed, count):
    rng = random.Random(seed)
    dmp = comparer()
    for index in range(count):
        old = text(rng, 200 if index % 50 == 0 else 30)
        new = text(rng, 30) if rng.random() < 0.2 else edited(rng, old)
        print(json.dumps([old, new, make_delta(dmp, old, new)]))


def check_one(dmp, old, new, delta):
    # Fails on a length in anything but UTF-16 code units, and on half a surrogate pair.
    diffs = dmp.diff_fromDelta(old, delta)
    got = dmp.diff_text2(diffs)
    assert got == new, f"gives {got!r}"
    assert all(text for _, text in diffs), "has an empty token"
    written = dmp.diff_toDelta(diffs)
    assert written == delta, f"would be written {written!r}"
    return len(delta) > len(make_delta(dmp, old, new))


def check(lines):
    dmp = comparer()
    count = longer = 0
    for line in lines:
        old, new, delta = json.loads(line)
        try:
            longer += check_one(dmp, old, new, delta)
        except (AssertionError, ValueError) as error:
            print(f"{old!r} -> {new!r} by {delta!r}: {error}")
            return 1
        count += 1
    print(f"ok {count} {longer}")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--make", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=2500)
    arguments = parser.parse_args()
    sys.stdin.reconfigure(encoding="utf-8")
    sys.stdout.reconfigure(encoding="utf-8")
    if arguments.check:
        return check(sys.stdin)
    if not arguments.make:
        parser.error("say --make or --check")
    make(arguments.seed, arguments.count)
    return 0


if __name__ == "__main__":
    sys.exit(main())
