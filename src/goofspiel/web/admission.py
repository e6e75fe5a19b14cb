"""Which connections may stay: so many of an address, so many in all, and some kept free for the question of health."""

from collections import Counter
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Protocol

from goofspiel.web.limits import CONNECTIONS_OF_ADDRESS, CONNECTIONS_OF_PROXY, MOST_CONNECTIONS, SPARE_CONNECTIONS

Network = IPv4Network | IPv6Network
IPV6_CLIENT_BITS = 64  # of an address: what one customer of a provider has


class Droppable(Protocol):
    """A connection, as far as this module is concerned."""

    def drop(self) -> None:
        """End it at once."""


class Admission:
    """Counts connections; where there are too many, the one that has been idle longest makes room for a new one.

    A connection that finds no room is admitted as a spare one, which is only told whether the server is alive.
    """

    def __init__(self, most: int = MOST_CONNECTIONS, *, proxies: Iterable[Network] = ()) -> None:
        self._most, self._proxies = most, list(proxies)
        self._addresses: dict[Droppable, str] = {}  # of all that are not spare
        self._counts: Counter[str] = Counter()
        self._idle: dict[Droppable, None] = {}  # longest idle first
        self._spare: dict[Droppable, None] = {}  # oldest first

    def __len__(self) -> int:
        return len(self._addresses) + len(self._spare)

    def enter(self, connection: Droppable, address: str) -> bool:
        """Admit an idle connection; whether it may ask whatever it likes."""
        client = client_of(address)
        if self._counts[client] >= self._most_of(address):
            self.drop_idle(client)
        elif len(self._addresses) >= self._most:
            self.drop_idle()
        if self._counts[client] < self._most_of(address) and len(self._addresses) < self._most:
            self._addresses[connection] = client
            self._counts[client] += 1
            self._idle[connection] = None
            return True
        if len(self._spare) >= SPARE_CONNECTIONS:
            next(iter(self._spare)).drop()  # none of them does anything that takes long
        self._spare[connection] = None
        return False

    def work(self, connection: Droppable) -> None:
        """A request has begun."""
        self._idle.pop(connection, None)

    def rest(self, connection: Droppable) -> None:
        """A request has ended."""
        if connection in self._addresses:
            self._idle[connection] = None

    def leave(self, connection: Droppable) -> None:
        """It has ended, perhaps it was said before."""
        self._idle.pop(connection, None)
        self._spare.pop(connection, None)
        if client := self._addresses.pop(connection, None):
            self._counts[client] -= 1
            if not self._counts[client]:
                del self._counts[client]

    def drop_idle(self, client: str | None = None) -> bool:
        """End the connection that has been idle longest, of a client or of all; whether there was one."""
        for connection in self._idle:
            if client is None or self._addresses[connection] == client:
                connection.drop()
                return True
        return False

    def _most_of(self, address: str) -> int:
        """A proxy speaks for many clients, and on this machine there is often one."""
        found = _parsed(address)
        for_many = found is not None and (found.is_loopback or any(found in network for network in self._proxies))
        return min(CONNECTIONS_OF_PROXY if for_many else CONNECTIONS_OF_ADDRESS, self._most)


def client_of(address: str) -> str:
    """Whom connections are counted for: an IPv4 address, or all IPv6 addresses that one client has."""
    found = _parsed(address)
    if isinstance(found, IPv6Address):
        return str(IPv6Network((int(found), IPV6_CLIENT_BITS), strict=False))
    return str(found or address)


def _parsed(address: str) -> IPv4Address | IPv6Address | None:
    try:
        found = ip_address(address.partition("%")[0])  # without the interface of a local one
    except ValueError:
        return None
    return (isinstance(found, IPv6Address) and found.ipv4_mapped) or found
