"""Tools/soak: every fault for a while, and everything has come through."""

import argparse
import os
import re
import shutil
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FIGURES = Path(__file__).resolve().parent / "FIGURES.md"


def machine() -> str:
    """When and on what the figures were made."""
    processor = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    return (f"{time.strftime('%Y-%m-%d')}, {processor[1] if processor else 'unknown processor'}, "
            f"{os.cpu_count()} processors")


def keep(title: str, lines: list[str]) -> None:
    """Writes a chapter of the figures anew and leaves the others alone; "" is the first."""
    chapters = [chapter.strip() for chapter in
                re.split(r"^(?=## )", FIGURES.read_text(), flags=re.MULTILINE)]
    others = [chapter for chapter in chapters[1:] if not chapter.startswith(f"## {title}\n")]
    text = "\n".join(lines)
    made = [chapters[0], *others, f"## {title}\n\n{text}"] if title else [text, *others]
    FIGURES.write_text("\n\n".join(made) + "\n")


def play_kills(program: Path, options: argparse.Namespace) -> int:
    """Kills recordings and says whether what is promised of their traces holds."""
    import kill

    try:
        bound = ["--max-size", options.max_size] if options.max_size else []
        is_kept, facts = kill.run(program, options.kill, options.seed, *bound)
    except kill.Failed as failure:
        print(f"soak: FAILED: {failure}")
        return 1
    print("\n".join(facts))
    if options.figures:
        title = "kill -9 under load" + (", with --max-size" if options.max_size else "")
        keep(title, [f"- {fact}" for fact in [*facts, machine()]])
    print("soak: all well" if is_kept else "soak: more was lost than is promised")
    return 0 if is_kept else 1


def play_mutants(options: argparse.Namespace) -> int:
    """Makes mistakes on purpose, and says which of them no test notices."""
    import mutants

    try:
        is_enough, lines = mutants.run(options.only)
    except mutants.Failed as failure:
        print(f"soak: FAILED: {failure}")
        return 1
    print("\n".join(lines))
    if options.figures:
        keep("Mutants", [*lines, "", f"{machine()}"])
    print("soak: all well" if is_enough else "soak: mutants survive that nobody has answered")
    return 0 if is_enough else 1


def play_clients(options: argparse.Namespace, folder: Path) -> int:
    """Certifies small clients that forget one duty each, and says which are not caught."""
    import certify_mutants

    is_caught, lines = certify_mutants.run(folder, options.only or [])
    print("\n".join(lines))
    if options.figures:
        keep("Clients that forget a duty", [*lines, "", machine()])
    print("soak: all well" if is_caught else "soak: certify is fooled")
    return 0 if is_caught else 1


def play_reproductions(options: argparse.Namespace, folder: Path) -> int:
    """Tests clients that forget one duty with reproductions of their findings."""
    import retests

    is_right, lines = retests.run(folder, options.only or [])
    print("\n".join(lines))
    if options.figures:
        keep("Reproductions", [*lines, "", machine()])
    print("soak: all well" if is_right else "soak: a reproduction does not tell clients apart")
    return 0 if is_right else 1


def main() -> int:
    """Plays all rounds and prints the table."""
    parser = argparse.ArgumentParser(prog="Tools/soak", description=__doc__)
    parser.add_argument("--seconds", type=float, default=30, help="for each round; 30")
    parser.add_argument("--mixes", type=int, default=10, help="random mixes after all actions; 10")
    parser.add_argument("--only", action="append", help="an action; may be repeated")
    parser.add_argument("--seed", type=int, default=1, help="of chance; 1")
    parser.add_argument("--pace", type=float, default=40, metavar="N",
                        help="requests a second of all devices, and messages a second of all "
                        "editors; 40")
    parser.add_argument("--figures", action="store_true", help=f"keep the table in {FIGURES.name}")
    parser.add_argument("--tapedeck", type=Path, help="the program; the release build if not given")
    parser.add_argument("--sockets", type=float, metavar="SECONDS",
                        help="in place of faults: random conversations through proxies of every mode, "
                        "byte-compared, for so long")
    parser.add_argument("--conversation", default="", metavar="NAME",
                        help="with --sockets: this one alone, such as reverse/17")
    parser.add_argument("--kill", type=int, metavar="ROUNDS",
                        help="instead: so many recordings under load, each ended with kill -9, and "
                        "how old the oldest forwarded byte is that is not in the trace")
    parser.add_argument("--max-size", metavar="SIZE",
                        help="with --kill: of traces that are kept within this size")
    parser.add_argument("--faults", type=int, nargs="?", const=60, metavar="N",
                        help="instead: so many cases of faults between generated peers that keep "
                        "what they sent and received, and whether trace, rebuild, export, diagnose, "
                        "state, faults report and replay say the same; 60; with 0 every action "
                        "alone, over every transport it is for, in every size")
    parser.add_argument("--case", action="append", default=[], metavar="NAME",
                        help="with --faults: this case alone, such as drop/websocket/100B/7, or "
                        "drop+latency/https/3MB/1 for two actions; may be repeated")
    parser.add_argument("--mutants", action="store_true",
                        help="instead: mistakes made on purpose in a copy of the sources, and "
                        "whether a test fails; --only takes their names, or those of targets")
    parser.add_argument("--clients", action="store_true",
                        help="instead: clients and mutants of them that forget one duty "
                        "each, whether certify catches them, and whether the other "
                        "commands agree; --only takes their names")
    parser.add_argument("--reproductions", action="store_true",
                        help="instead: reproductions of the findings of such mutants, and whether "
                        "each fails its mutant and passes the unchanged client")
    parser.add_argument("--keep", action="store_true", help="keep the folder with the trace")
    options = parser.parse_args()
    if options.pace <= 0:
        parser.error("--pace must be more than 0")
    if options.mutants:
        return play_mutants(options)
    program = (options.tapedeck or ROOT / ".build/release/tapedeck").resolve(strict=True)
    os.environ["TAPEDECK"] = str(program)
    sys.path.insert(0, str(ROOT / "Tests/EndToEnd"))
    if options.kill:
        return play_kills(program, options)
    import soak
    import soak_rules

    folder = Path(tempfile.mkdtemp(prefix="tapedeck-soak-"))
    if options.clients:
        return play_clients(options, folder)
    if options.reproductions:
        return play_reproductions(options, folder)
    if options.faults is not None or options.case:
        return faults(options, folder)
    if options.sockets is not None:
        return sockets(options, program, folder)
    began = time.monotonic()
    rounds = [(action, soak_rules.RULES[action])
              for action in options.only or soak_rules.catalogue()]
    rounds += [] if options.only else soak_rules.mixes(options.mixes, options.seed)
    running = soak.Soak(program, folder, options.seed, options.pace)
    try:
        running.warm_up(min(60, options.seconds * 2))
        for number, (name, rules) in enumerate(rounds, 1):
            made = running.play(name, rules, options.seconds, min(10, options.seconds))
            soak.say(f"{number}/{len(rounds)} {name}: {made.faults} faults, settled after "
                     f"{made.settled:.1f} s, {made.memory / 1e6:.1f} MB")
        facts = running.finish()
    except soak.Failed as failure:
        soak.say(f"soak: FAILED: {failure}\n{running.proxy.said()[-2000:]}")
        return 1
    finally:
        running.kill()
        if options.keep:
            soak.say(f"kept {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)
    idle = [made.name for made in running.rounds[1:] if not made.faults]
    facts.insert(0, f"{len(rounds)} rounds of {options.seconds:g} s at a pace of "
                 f"{options.pace:g} in {(time.monotonic() - began) / 60:.0f} min, "
                 f"{sum(made.faults for made in running.rounds):,} faults"
                 + (f"; NONE for {', '.join(idle)}" if idle else ""))
    lines = soak.table(running.rounds)
    print("\n".join(lines + [""] + facts))
    if options.figures:
        keep("", [
            "# Figures of Tools/soak", "",
            "Every action alone, then mixes of five. Clients of both protocols, those built in and "
            "those of Python, work", "through one proxy; then the rules are removed, and all of "
            "them and the server have to agree again.", "\"And a reset\" means that clients "
            "had to be connected anew before they did. The pace is how many requests a second",
            "devices, and how many messages a second editors send, all together: no request is "
            "begun before the pace allows it.", "",
            *[f"- {fact}" for fact in facts],
            f"- release build, {machine()}", "", *lines])
    print("soak: all well" if not idle else "soak: some faults were never felt")
    return 1 if idle else 0


def faults(options: argparse.Namespace, folder: Path) -> int:
    """Plays cases of faults, and prints each difference."""
    import soak_faults

    running = soak_faults.Faults(folder, options.seed, options.keep)
    try:
        running.play(options.faults or 0, options.case)
    finally:
        if options.keep:
            print(f"kept {folder}", file=sys.stderr)
        else:
            shutil.rmtree(folder, ignore_errors=True)
    differences = running.differences()
    print("\n".join([*running.facts(), *differences]))
    print(f"soak: {len(differences)} differences" if differences else "soak: all well")
    return 1 if differences else 0


def sockets(options: argparse.Namespace, program: Path, folder: Path) -> int:
    """Plays conversations over real sockets, and prints what failed."""
    import socket_soak

    running = socket_soak.Sockets(program, folder, options.seed)
    try:
        running.play(options.sockets, only=options.conversation)
    finally:
        running.kill()
        if not options.keep:
            shutil.rmtree(folder, ignore_errors=True)
    print("\n".join([*running.facts(), *running.failures]))
    print("soak: FAILED" if running.failures else "soak: all well")
    return 1 if running.failures else 0


if __name__ == "__main__":
    sys.exit(main())
