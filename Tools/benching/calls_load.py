"""System calls and processor time by thread of one exchange, of Tapedeck and of nginx in turn."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from http_load import Subject, run_wrk, start_nginx
from programs import Tapedeck, settled, spread, stop

# Of each: calls of any kind, and those that relays and writers of files have most of.
KINDS = ("read", "readv", "recvfrom", "write", "writev", "sendto", "pread64", "pwrite64", "fdatasync",
         "epoll_wait", "epoll_pwait", "epoll_ctl", "fcntl", "futex", "mprotect", "madvise")
ALL = "raw_syscalls:sys_enter"


def processes(pid: int) -> list[int]:
    """A process and its children."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *(each for child in children for each in processes(int(child)))]


def by_thread(pid: int) -> Counter[str]:
    """Microseconds of processor time of all threads so far, by their names without numbers."""
    times: Counter[str] = Counter()
    for process in processes(pid):
        for task in Path(f"/proc/{process}/task").iterdir():
            name = re.sub(r"[-#\d]+$", "", (task / "comm").read_text().strip())
            times[name] += int((task / "schedstat").read_text().split()[0]) / 1e3
    return times


@contextmanager
def counted(pid: int, folder: Path) -> Iterator[Counter[str]]:
    """Counts the system calls of a process and its children; empty where perf may not."""
    calls: Counter[str] = Counter()
    if not shutil.which("perf"):
        yield calls
        return
    events = ",".join([ALL, *(f"syscalls:sys_enter_{kind}" for kind in KINDS)])
    output = folder / "calls.csv"
    perf = subprocess.Popen(
        ["perf", "stat", "-x", ";", "-o", output, "-e", events, "-p",
         ",".join(map(str, processes(pid)))],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield calls
    finally:
        perf.send_signal(signal.SIGINT)
        perf.wait(30)
    for line in output.read_text().splitlines() if output.exists() else []:
        fields = line.split(";")
        if len(fields) > 2 and fields[0].isdigit():
            calls[fields[2].removeprefix("syscalls:sys_enter_")] += int(fields[0])


def measure(table, program: Path, folder: Path, quick: bool) -> None:
    """Adds the rows of exchanges of 1 KiB over 8 kept connections to `table`."""
    work = folder / "calls"
    work.mkdir()
    rounds, seconds = (3, 2) if quick else (7, 4)
    with ExitStack() as cleanup:
        started, origin, peer = start_nginx(work, tls=False)
        for process in started:
            cleanup.callback(stop, process)
        deck = Tapedeck(program, work, work / "calls.tape", "--to", origin)
        cleanup.callback(deck.stop)
        subjects = [(Subject("Tapedeck", f"http://127.0.0.1:{deck.port}"), deck.process.pid),
                    (Subject("nginx", peer), started[1].pid)]
        found: dict[str, tuple[list[Counter], list[Counter]]] = {
            subject.name: ([], []) for subject, _ in subjects}
        for number in range(rounds + 1):
            for subject, pid in subjects:
                settled(pid)
                asked, before = subject.requests, by_thread(pid)
                with counted(pid, work) as calls:
                    run_wrk(subject, seconds, keep=False)
                    settled(pid)
                used = by_thread(pid)
                used.subtract(before)
                # The first round warms up.
                if number == 0:
                    continue
                count = subject.requests - asked
                for values, kept in zip((calls, used), found[subject.name], strict=True):
                    kept.append(Counter({key: value / count for key, value in values.items()}))
    for name, (calls, times) in found.items():
        if any(calls):
            shares = ", ".join(f"{kind} {spread([each[kind] for each in calls], 2)}"
                               for kind in KINDS if max(each[kind] for each in calls) >= 0.02)
            table.add(f"calls of an exchange, {name}",
                      f"{spread([each[ALL] for each in calls], 2)}: {shares}")
        names = sorted(set().union(*times), key=lambda key: -max(each[key] for each in times))
        shares = ", ".join(f"{thread} {spread([each[thread] for each in times], 1)}"
                           for thread in names if max(each[thread] for each in times) >= 0.05)
        table.add(f"processor time of an exchange by thread, {name}",
                  f"{spread([sum(each.values()) for each in times], 1)} us: {shares}")
