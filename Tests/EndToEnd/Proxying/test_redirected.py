"""Connections that the system redirects, with the rules that `tapedeck redirect` prints and makes, in networks
made for each test."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from programs import TAPEDECK, environment, sql
from unprivileged import open_to_nobody

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="needs root for a network of its own"),
    pytest.mark.skipif(not all(shutil.which(name, path="/usr/sbin:/usr/bin:/sbin:/bin")
                               for name in ("unshare", "setpriv", "nft", "ip")),
                       reason="needs nft and ip (Tools/setup)")]

# As another user than the one that records.
NOBODY = "setpriv --reuid=65534 --regid=65534 --clear-groups"
STATUS = "curl -g -sS -o /dev/null -w '%{http_code}\\n'"
# What waits for a line of a file, and for a port.
WAIT = """
until_line() { until grep -q "$1" "$2" 2>/dev/null; do kill -0 "$3" || exit 9; sleep 0.02; done; }
until_open() { until curl -g -s -o /dev/null "$1"; do :; done; }
"""


def in_network(folder: Path, script: str) -> str:
    """Runs a script in a network of its own, with a folder of its own for the names of others; gives what it
    printed."""
    words = ["unshare", "--net", "--mount", "bash", "-euc",
             f"mount -t tmpfs none /run; cd {folder}; ip link set lo up; {WAIT}\n{script}"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=120,
                          env=environment())
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def urls(trace: Path) -> list[str]:
    """What was recorded."""
    return [row[0] for row in sql(trace, "SELECT url FROM exchange ORDER BY id")]


def test_printed_rules(trace, ca_dir, tmp_path: Path) -> None:
    """`--listen transparent:…` with the rules that `redirect` prints."""
    # A server, the recording (as root) and a client (as nobody), whose connections are redirected.
    said = in_network(tmp_path, f"""
    {sys.executable} -m http.server 8000 --bind 127.0.0.1 >/dev/null 2>&1 &
    server=$!
    {TAPEDECK} record {trace} --ca-dir {ca_dir} --listen transparent:127.0.0.1:8081 &
    recording=$!
    {TAPEDECK} redirect --port 8081 --user nobody --server 8000 | nft -f -
    until_open http://127.0.0.1:8000/
    until_open http://127.0.0.1:8081/
    {NOBODY} {STATUS} http://127.0.0.1:8000/
    {TAPEDECK} redirect --remove | nft -f -
    kill -INT $recording; wait $recording || true
    kill $server
    """)
    assert "\n200\n" in said
    assert "http://127.0.0.1:8000/" in urls(trace)
    assert "redirect" in sql(trace, "SELECT detail FROM event WHERE kind = 'warning'")[0][0]


def test_applied_rules(trace, ca_dir, tmp_path: Path) -> None:
    """`--apply` makes the rules and takes them back when it is asked to end, and those of a run that was
    killed; the next run replaces them."""
    apply = f"{TAPEDECK} redirect --apply --port 8081 --user nobody --server 8000"
    said = in_network(tmp_path, f"""
    {sys.executable} -m http.server 8000 --bind 127.0.0.1 >/dev/null 2>&1 &
    server=$!
    {TAPEDECK} record {trace} --ca-dir {ca_dir} --listen transparent:127.0.0.1:8081 >/dev/null &
    recording=$!
    until_open http://127.0.0.1:8000/
    until_open http://127.0.0.1:8081/
    for signal in TERM INT; do
        {apply} > out.$signal & applied=$!
        until_line afterwards out.$signal $applied
        {NOBODY} {STATUS} http://127.0.0.1:8000/$signal
        kill -$signal $applied; wait $applied
        echo "left: $(nft list ruleset)"
        cat out.$signal
    done
    {apply} > out.KILL & applied=$!
    until_line afterwards out.KILL $applied
    kill -KILL $applied; wait $applied || true
    {apply} > out.again & applied=$!
    until_line afterwards out.again $applied
    echo "rules: $(nft list ruleset | grep -c redirect)"
    kill -KILL $applied; wait $applied || true
    {TAPEDECK} redirect --remove --apply
    {TAPEDECK} redirect --remove --apply
    echo "left: $(nft list ruleset)"
    kill -INT $recording; wait $recording || true
    kill $server
    """)
    lines = said.splitlines()
    made = ["connections of user nobody to port 8000 come to port 8081 (table inet tapedeck of nftables)",
            "SIGINT or SIGTERM takes it back; afterwards: tapedeck redirect --remove --apply", "taken back"]
    assert lines == ["404", "left: ", *made] * 2 + [
        "rules: 1", "taken back", "taken back", "left: "]
    assert urls(trace)[-2:] == ["http://127.0.0.1:8000/TERM", "http://127.0.0.1:8000/INT"]


def test_what_apply_needs(tmp_path: Path) -> None:
    """A user without rights gets one line, and rules that nft does not take are taken back."""
    said = in_network(tmp_path, f"""
    {NOBODY} {TAPEDECK} redirect --apply --port 8081 --user nobody 2>&1 || echo $?
    {TAPEDECK} redirect --apply --port 8081 --user no-such-user 2>&1 || echo $?
    {TAPEDECK} redirect --port 8081 --namespace nobody 2>&1 || echo $?
    echo "left: $(nft list ruleset)"
    """)
    lines = said.splitlines()
    assert len(lines) == 7 and lines[1::2][:3] == ["69", "74", "69"], said
    assert "needs root" in lines[0] and "no-such-user" in lines[2] and "nobody" in lines[4]
    assert lines[6] == "left: "


# A router with a client and a server behind it, each in a namespace of its own.
NETWORKS = """
for name in client server; do
    ip netns add $name
    ip link add to_$name type veth peer name eth0 netns $name
    ip link set to_$name up
    ip -n $name link set lo up
    ip -n $name link set eth0 up
done
ip addr add 10.1.0.1/24 dev to_client; ip -n client addr add 10.1.0.2/24 dev eth0
ip addr add 10.2.0.1/24 dev to_server; ip -n server addr add 10.2.0.2/24 dev eth0
ip addr add fd01::1/64 dev to_client nodad; ip -n client addr add fd01::2/64 dev eth0 nodad
ip addr add fd02::1/64 dev to_server nodad; ip -n server addr add fd02::2/64 dev eth0 nodad
ip -n client route add default via 10.1.0.1; ip -n client route add default via fd01::1
"""


@pytest.mark.parametrize("source", ["--namespace client", "--interface to_client", "--user nobody"])
def test_tproxy(trace, ca_dir, tmp_path: Path, source: str) -> None:
    """Connections keep their addresses, over IPv4 and IPv6, of devices behind this machine and of its own
    users; what `--apply` made is gone afterwards, also the rule and the routes."""
    client = NOBODY if "user" in source else "ip netns exec client"
    said = in_network(tmp_path, NETWORKS + f"""
    mkdir empty; cd empty
    ip netns exec server {sys.executable} -m http.server 8000 --bind :: >/dev/null 2>&1 &
    server=$!
    cd ..
    {TAPEDECK} record {trace} --ca-dir {ca_dir} --listen tproxy:127.0.0.1:8081 \\
        --listen 'tproxy:[::1]:8081' >/dev/null &
    recording=$!
    until_open http://10.2.0.2:8000/
    until_open http://127.0.0.1:8081/
    {TAPEDECK} redirect --tproxy --apply --port 8081 {source} > out & applied=$!
    until_line afterwards out $applied
    {client} {STATUS} http://10.2.0.2:8000/four
    {client} {STATUS} 'http://[fd02::2]:8000/six'
    {STATUS} http://127.0.0.1:8081/
    kill $applied; wait $applied
    echo "left: $(nft list ruleset; ip rule; ip -6 rule) $(ip route show table 29793 2>&1 || true)"
    kill -INT $recording; wait $recording || true
    kill $server
    """)
    assert said.splitlines()[:3] == ["404", "404", "400"]
    assert "29793" not in said.partition("left: ")[2] and "tapedeck" not in said
    assert sql(trace, "SELECT host, port, path FROM http_exchange WHERE path <> '/' ORDER BY id") == [
        ("10.2.0.2", 8000, "/four"), ("fd02::2", 8000, "/six")]
    assert sql(trace, "SELECT host FROM leg WHERE peer = 1 ORDER BY id") == [("10.2.0.2",), ("fd02::2",)]
    assert sql(trace, "SELECT DISTINCT mode, listener FROM connection ORDER BY listener") == [
        ("transparent", "127.0.0.1:8081"), ("transparent", "[::1]:8081")]


def test_the_printed_commands_of_tproxy(tmp_path: Path) -> None:
    """What is printed does the same, for a shell."""
    said = in_network(tmp_path, f"""
    {TAPEDECK} redirect --tproxy --port 8081 --user nobody | sh -e
    echo "made: $(nft list ruleset | grep -c tproxy) $(ip rule | grep -c 0x7461) $(ip -6 rule | grep -c 0x7461)"
    {TAPEDECK} redirect --tproxy --remove | sh -e
    echo "left: $(nft list ruleset; ip rule | grep 0x7461; ip -6 rule | grep 0x7461)"
    """)
    assert said.splitlines() == ["made: 2 1 1", "left: "]


def test_what_tproxy_needs(tmp_path: Path) -> None:
    """Without the right to change the network it says so."""
    (tmp_path / "open").mkdir()
    open_to_nobody(tmp_path)
    said = in_network(tmp_path, f"""
    {NOBODY} {TAPEDECK} record open/x.tape --ca-dir open/ca --listen tproxy:127.0.0.1:8081 2>&1 || echo $?
    """)
    assert "needs root, or CAP_NET_ADMIN" in said and said.splitlines()[-1] == "74"
