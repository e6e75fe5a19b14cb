"""Networks for tests: hosts that are namespaces of this machine, on one bridge, whose cables can be pulled."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

IP = shutil.which("ip") or shutil.which("ip", path="/usr/sbin:/sbin")
SUBNET = "10.213.77"


def _ip(*words: str) -> None:
    subprocess.run([str(IP), *words], check=True, capture_output=True, text=True)


class Network:
    """Hosts by number; host 0 is that of the bridge."""

    def __init__(self, hosts: int) -> None:
        self._hub = f"goofspiel-{os.getpid()}"
        self._hosts = range(1, hosts + 1)
        _ip("netns", "add", self._hub)
        _ip("-n", self._hub, "link", "set", "lo", "up")
        _ip("-n", self._hub, "link", "add", "bridge", "type", "bridge")
        _ip("-n", self._hub, "addr", "add", f"{self.address(0)}/24", "dev", "bridge")
        _ip("-n", self._hub, "link", "set", "bridge", "up")
        for host in self._hosts:
            own = self._name(host)
            _ip("netns", "add", own)
            _ip("-n", own, "link", "set", "lo", "up")
            _ip("-n", self._hub, "link", "add", f"to{host}", "type", "veth", "peer", "name", "cable", "netns", own)
            _ip("-n", self._hub, "link", "set", f"to{host}", "master", "bridge", "up")
            _ip("-n", own, "addr", "add", f"{self.address(host)}/24", "dev", "cable")
            _ip("-n", own, "link", "set", "cable", "up")

    def _name(self, host: int) -> str:
        return f"{self._hub}-{host}" if host else self._hub

    @staticmethod
    def address(host: int) -> str:
        return f"{SUBNET}.{host + 1}"

    def within(self, host: int) -> tuple[str, ...]:
        """What to put before a command to run it on a host."""
        return str(IP), "netns", "exec", self._name(host)

    def cut(self, host: int) -> None:
        """Pull the cable of a host."""
        _ip("-n", self._hub, "link", "set", f"to{host}", "down")

    def restore(self, host: int) -> None:
        _ip("-n", self._hub, "link", "set", f"to{host}", "up")

    def close(self) -> None:
        for host in (*self._hosts, 0):
            subprocess.run([str(IP), "netns", "del", self._name(host)], check=False, capture_output=True)


@contextmanager
def network(hosts: int) -> Iterator[Network]:
    """A network; the test is skipped where none may be made."""
    if IP is None or os.geteuid() != 0:
        pytest.skip("network namespaces need root and the command ip")
    try:
        made = Network(hosts)
    except subprocess.CalledProcessError as error:
        pytest.skip(f"network namespaces are not permitted here: {error.stderr.strip()}")
    try:
        yield made
    finally:
        made.close()
