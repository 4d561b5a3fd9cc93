"""Real ClickHouse servers as tests drive them, on free loopback ports, without services."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from xml.sax.saxutils import escape

from ports import free_port, free_ports
from programs import environment, eventually

SERVER = shutil.which("clickhouse-server") or "/usr/sbin/clickhouse-server"
PASSWORD = "a horse & a <battery>"

CONFIG = """<yandex>
 <logger><level>warning</level><log>{home}/log</log><errorlog>{home}/errors</errorlog></logger>
 <listen_host>127.0.0.1</listen_host>
 <http_port>{http}</http_port><tcp_port>{tcp}</tcp_port>
 <interserver_http_port>{between}</interserver_http_port>{tls}
 <max_connections>100</max_connections><keep_alive_timeout>10</keep_alive_timeout>
 <max_concurrent_queries>100</max_concurrent_queries>
 <uncompressed_cache_size>0</uncompressed_cache_size><mark_cache_size>268435456</mark_cache_size>
 <path>{home}/data/</path><tmp_path>{home}/tmp/</tmp_path>
 <user_files_path>{home}/files/</user_files_path>
 <users_config>users.xml</users_config><default_profile>default</default_profile>
 <default_database>default</default_database><timezone>UTC</timezone>
 {more}<remote_servers>{clusters}</remote_servers>
</yandex>
"""

USERS = """<yandex>
 <profiles><default><max_threads>2</max_threads></default></profiles>
 <users>
  <default><password></password><networks><ip>127.0.0.1</ip></networks>
   <profile>default</profile><quota>default</quota></default>
  <fleet><password>{password}</password><networks><ip>127.0.0.1</ip></networks>
   <profile>default</profile><quota>default</quota></fleet>
 </users>
 <quotas><default></default></quotas>
</yandex>
"""


class ClickHouse:
    """A server with data of its own; the user `fleet` has the password `PASSWORD`."""

    def __init__(self, home: Path, ports: list[int] | None = None, clusters: str = "",
                 certificate: Path | None = None, key: Path | None = None, more: str = ""):
        self.home = home
        home.mkdir(parents=True, exist_ok=True)
        self.http, self.tcp, self.between, self.https = ports or free_ports(4)
        tls = "" if certificate is None else (
            f"<https_port>{self.https}</https_port><openSSL><server>"
            f"<certificateFile>{certificate}</certificateFile><privateKeyFile>{key}"
            "</privateKeyFile><verificationMode>none</verificationMode>"
            "<loadDefaultCAFile>false</loadDefaultCAFile></server></openSSL>")
        (home / "config.xml").write_text(CONFIG.format(
            home=home, http=self.http, tcp=self.tcp, between=self.between, tls=tls,
            clusters=clusters, more=more))
        (home / "users.xml").write_text(USERS.format(password=escape(PASSWORD)))
        self.process: subprocess.Popen | None = None
        self.start()

    @property
    def address(self) -> str:
        """HOST:PORT of its HTTP interface."""
        return f"127.0.0.1:{self.http}"

    def url(self, database: str = "tapes", more: str = "") -> str:
        """What `--to` takes."""
        return f"clickhouse://{self.address}/{database}{more}"

    def start(self) -> None:
        """Starts it, also after an end, with the data that it had."""
        with (self.home / "output").open("ab") as output:
            self.process = subprocess.Popen(
                [SERVER, f"--config-file={self.home}/config.xml"], cwd=self.home,
                stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=environment(),
                preexec_fn=os.setsid)
        eventually(self._is_ready, f"a ClickHouse server at {self.address}")

    def _is_ready(self) -> bool:
        assert self.process.poll() is None, (self.home / "output").read_text()
        try:
            return self.ask("SELECT 1") == "1"
        except OSError:
            return False

    def kill(self) -> None:
        """Ends it with SIGKILL."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        """Ends it in order."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.kill()

    def ask(self, query: str, **settings: str) -> str:
        """The answer to a query as text, without the line feed at its end."""
        return self.answer(query, **settings).decode("utf-8", "backslashreplace").removesuffix("\n")

    def answer(self, query: str, **settings: str) -> bytes:
        """The answer to a query."""
        url = f"http://{self.address}/?{urllib.parse.urlencode(settings)}"
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(url, data=query.encode(), timeout=60) as answer:
                return answer.read()
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{query}: {error.read().decode(errors='replace')}") from None

    def rows(self, query: str) -> list[list[str]]:
        """The rows of a query as texts."""
        answer = self.ask(query)
        return [line.split("\t") for line in answer.split("\n")] if answer else []


def cluster(folder: Path, count: int = 2, name: str = "lab") -> list[ClickHouse]:
    """Servers that know each other as the shards of the cluster `name`."""
    ports = [free_ports(4) for _ in range(count)]
    shards = "".join(
        f"<shard><internal_replication>true</internal_replication><replica>"
        f"<host>127.0.0.1</host><port>{each[1]}</port></replica></shard>" for each in ports)
    return [ClickHouse(folder / f"shard{index}", each, f"<{name}>{shards}</{name}>")
            for index, each in enumerate(ports)]


class ZooKeeper:
    """A ZooKeeper server, with which replicas agree."""

    JARS = ("zookeeper", "zookeeper-jute", "slf4j-api", "slf4j-nop", "netty-all", "metrics-core", "snappy-java")

    def __init__(self, home: Path):
        home.mkdir(parents=True)
        self.port = free_port()
        (home / "zoo.cfg").write_text(
            f"tickTime=200\ndataDir={home}/data\nclientPort={self.port}\nclientPortAddress=127.0.0.1\n")
        classes = ":".join(f"/usr/share/java/{each}.jar" for each in self.JARS)
        with (home / "output").open("ab") as output:
            self.process = subprocess.Popen(
                ["java", "-Xmx128m", "-cp", classes, "-Dzookeeper.admin.enableServer=false",
                 "org.apache.zookeeper.server.ZooKeeperServerMain", home / "zoo.cfg"],
                stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=environment())
        self.home = home
        eventually(self._is_ready, f"a ZooKeeper server at 127.0.0.1:{self.port}")

    @staticmethod
    def is_here() -> bool:
        """Whether it and Java are installed."""
        return bool(shutil.which("java")) and Path("/usr/share/java/zookeeper.jar").exists()

    def _is_ready(self) -> bool:
        assert self.process.poll() is None, (self.home / "output").read_text()
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
        except OSError:
            return False
        return True

    def stop(self) -> None:
        """Ends it."""
        self.process.terminate()
        self.process.wait()


def replicas(folder: Path, keeper: ZooKeeper, count: int = 2, name: str = "lab") -> list[ClickHouse]:
    """Servers that are the replicas of the one shard of the cluster `name`."""
    ports = [free_ports(4) for _ in range(count)]
    members = "".join(f"<replica><host>127.0.0.1</host><port>{each[1]}</port></replica>" for each in ports)
    agreed = (f"<zookeeper><node><host>127.0.0.1</host><port>{keeper.port}</port></node>"
              "<session_timeout_ms>2000</session_timeout_ms></zookeeper><interserver_http_host>127.0.0.1</interserver_http_host>"
              # Killed before ZooKeeper knew of a part, a small table has more that nobody knows than it starts with.
              "<merge_tree><replicated_max_ratio_of_wrong_parts>1</replicated_max_ratio_of_wrong_parts></merge_tree>")
    return [ClickHouse(folder / f"replica{index}", each,
                       f"<{name}><shard><internal_replication>true</internal_replication>{members}</shard></{name}>",
                       more=f"{agreed}<macros><shard>1</shard><replica>{index}</replica></macros>")
            for index, each in enumerate(ports)]
