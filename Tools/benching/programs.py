"""The programs that are measured: started on free loopback ports, watched and stopped by pid."""

import os
import re
import signal
import socket
import statistics
import subprocess
import time
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parent.parent.parent
MITMDUMP = ROOT / ".build/bench-venv/bin/mitmdump"


def free_port() -> int:
    """A loopback port that nobody uses at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def await_port(port: int, process: subprocess.Popen, host: str = "127.0.0.1") -> None:
    """Waits until `process` accepts connections on `port`."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"{process.args[0]} ended with {process.returncode}")
        try:
            socket.create_connection((host, port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.02)
    raise RuntimeError(f"{process.args[0]} does not listen on {port}")


def stop(process: subprocess.Popen, seconds: float = 60) -> float:
    """Ends a process that we started, kindly first; returns how long that took in seconds."""
    began = time.monotonic()
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    return time.monotonic() - began


def peak_memory(pid: int) -> int:
    """The largest resident size that a process has had, in bytes."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) * 1024


def ratios(ours: list[float], theirs: list[float], digits: int = 2) -> tuple[float, str]:
    """The median of the ratios of each round, and as a figure with the least and the most."""
    found = [own / other for own, other in zip(ours, theirs, strict=True)]
    return statistics.median(found), spread(found, digits)


def spread(values: list[float], digits: int = 0) -> str:
    """The median with the least and the most."""
    return f"{statistics.median(values):,.{digits}f} " \
           f"({min(values):,.{digits}f}-{max(values):,.{digits}f})"


def resident(pid: int) -> int:
    """The resident size of a process now, in bytes."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def cpu_seconds(pid: int) -> float:
    """Processor time that all threads of a process and of its children have used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    own = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return own + sum(cpu_seconds(int(child)) for child in children)


def settled(pid: int) -> float:
    """Waits until a process has nothing left to do; the processor time it has used by then."""
    deadline = time.monotonic() + 120
    before, used = -1.0, cpu_seconds(pid)
    # A tick of the clock for what it does now and then.
    while used - before > 1.5 / os.sysconf("SC_CLK_TCK") and time.monotonic() < deadline:
        time.sleep(0.4)
        before, used = used, cpu_seconds(pid)
    return used


def start_seconds(program: Path) -> float:
    """How long the program takes to start and to say its version: median of five."""
    times = []
    for _ in range(5):
        began = time.monotonic()
        subprocess.run([program, "--version"], stdin=subprocess.DEVNULL, capture_output=True,
                       check=True)
        times.append(time.monotonic() - began)
    return statistics.median(times)


def make_certificates(folder: Path) -> None:
    """A certificate authority `ca.pem` and a leaf `leaf.pem`, `leaf.key` for 127.0.0.1."""
    def openssl(*arguments: str) -> None:
        subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)

    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    openssl("req", "-x509", *curve, "-keyout", "ca.key", "-out", "ca.pem", "-days", "2",
            "-subj", "/CN=bench authority")
    openssl("req", *curve, "-keyout", "leaf.key", "-out", "leaf.csr", "-subj", "/CN=127.0.0.1")
    (folder / "leaf.ext").write_text("subjectAltName=IP:127.0.0.1,DNS:localhost\n")
    openssl("x509", "-req", "-in", "leaf.csr", "-CA", "ca.pem", "-CAkey", "ca.key",
            "-CAcreateserial", "-days", "2", "-extfile", "leaf.ext", "-out", "leaf.pem")


def nginx(folder: Path, name: str, http: str, workers: int | str = "auto",
          connections: int = 1024) -> subprocess.Popen:
    """An nginx of our own with the given content of its `http` block.

    - `connections`: how many each worker may have open.
    """
    home = folder / name
    home.mkdir()
    for place in ("body", "proxy", "fastcgi", "uwsgi", "scgi"):
        (home / place).mkdir()
    user = "user root;" if os.geteuid() == 0 else ""
    (home / "nginx.conf").write_text(f"""
        daemon off; {user} worker_processes {workers}; pid {home}/pid; error_log {home}/error.log;
        events {{ worker_connections {connections}; }}
        http {{
          access_log off; keepalive_requests 1000000000; keepalive_timeout 1h;
          client_body_temp_path {home}/body; proxy_temp_path {home}/proxy;
          fastcgi_temp_path {home}/fastcgi; uwsgi_temp_path {home}/uwsgi;
          scgi_temp_path {home}/scgi;
          {http}
        }}""")
    program = "/usr/sbin/nginx"
    return subprocess.Popen(
        [program, "-p", str(home), "-e", f"{home}/error.log", "-c", f"{home}/nginx.conf"],
        stdin=subprocess.DEVNULL,
    )


def mitmdump(folder: Path, name: str, server: str, ca: Path) -> tuple[subprocess.Popen, int]:
    """A `mitmdump -w` in front of `server`, an origin such as `http://127.0.0.1:80`."""
    port = free_port()
    process = subprocess.Popen(
        [MITMDUMP, "-q", "-w", folder / f"{name}.mitm", "--mode", f"reverse:{server}",
         "--listen-host", "127.0.0.1", "--listen-port", str(port),
         "--set", f"confdir={folder}/mitmproxy",
         "--set", f"ssl_verify_upstream_trusted_ca={ca}"],
        stdin=subprocess.DEVNULL,
    )
    await_port(port, process)
    return process, port


class Tapedeck:
    """A running `tapedeck record`."""

    def __init__(self, program: Path, folder: Path, trace: Path, *arguments: str,
                 errors: IO[str] | None = None):
        self.trace = trace
        self.process = subprocess.Popen(
            [program, "record", trace, "--listen", "127.0.0.1:0", "--quiet",
             "--ca-dir", folder / "ca", *arguments],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, text=True,
        )
        ready = self.process.stdout.readline()
        match = re.fullmatch(r"listening on (.*):(\d+)\n", ready)
        if not match:
            raise RuntimeError(f"tapedeck did not become ready: {ready!r}")
        self.port = int(match[2])

    def peak_memory(self) -> int:
        """The largest resident size so far, in bytes."""
        return peak_memory(self.process.pid)

    def stop(self) -> float:
        """Ends the recording; returns how long that took in seconds."""
        return stop(self.process)


class Replay:
    """A running `tapedeck replay server`."""

    def __init__(self, program: Path, folder: Path, trace: Path, *arguments: str):
        began = time.monotonic()
        self.process = subprocess.Popen(
            [program, "replay", "server", trace, "--listen", "127.0.0.1:0", "--ca-dir",
             folder / "ca", *arguments],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
        )
        match = re.fullmatch(r"listening on (.*):(\d+)\n", self.process.stdout.readline())
        if not match:
            raise RuntimeError("tapedeck replay server did not become ready")
        # Seconds until it listened.
        self.opening = time.monotonic() - began
        self.port = int(match[2])

    def peak_memory(self) -> int:
        """The largest resident size so far, in bytes."""
        return peak_memory(self.process.pid)

    def stop(self) -> float:
        """Ends it; returns how long that took in seconds."""
        return stop(self.process)
