"""A queue that takes turns between tables, and between quick and slow items."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from typing import Generic, TypeVar

T = TypeVar("T")


class Turns(Generic[T]):
    """Items of several tables, which take turns."""

    def __init__(self) -> None:
        self._waiting: OrderedDict[str, deque[T]] = OrderedDict()

    def __len__(self) -> int:
        return sum(map(len, self._waiting.values()))

    def count(self, table: str) -> int:
        """How many items of one table wait."""
        return len(self._waiting.get(table, ()))

    def before(self, table: str, item: T) -> int:
        """How many items are taken before one of a table."""
        place = self._waiting[table].index(item)
        count, earlier = 0, True
        for other, items in self._waiting.items():
            if other == table:
                count, earlier = count + place, False
            else:
                count += min(len(items), place + earlier)
        return count

    def add(self, table: str, item: T) -> None:
        self._waiting.setdefault(table, deque()).append(item)

    def take(self) -> T:
        """The next item; its table moves to the end of the queue."""
        table, items = self._waiting.popitem(last=False)
        item = items.popleft()
        if items:
            self._waiting[table] = items
        return item


class FairQueue(Generic[T]):
    """Two queues, for quick items and for slow ones; waiting callers are served in order.

    A third one has the hints, which are slow, too: they come when nothing else waits.
    """

    def __init__(self) -> None:
        self._quick: Turns[T] = Turns()
        self._slow: Turns[T] = Turns()
        self._hints: Turns[T] = Turns()
        self._waiters: deque[tuple[asyncio.Future[T], bool]] = deque()
        self._quick_before = False

    def __len__(self) -> int:
        return len(self._quick) + len(self._slow) + len(self._hints)

    def put(self, table: str, item: T, *, slow: bool, hint: bool = False) -> None:
        for waiter in list(self._waiters):
            future, takes_slow = waiter
            if not future.done() and (takes_slow or not slow):
                self._waiters.remove(waiter)
                future.set_result(item)
                return
        turns = self._hints if hint else self._slow if slow else self._quick
        turns.add(table, item)

    async def get(self, *, takes_slow: bool) -> T:
        """The next item; alternates between quick and slow ones if the caller takes slow ones."""
        slow_waits = takes_slow and len(self._slow) > 0
        if len(self._quick) and not (slow_waits and self._quick_before):
            self._quick_before = True
            return self._quick.take()
        if slow_waits:
            self._quick_before = False
            return self._slow.take()
        if takes_slow and len(self._hints):
            return self._hints.take()
        coming: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        waiter = coming, takes_slow
        self._waiters.append(waiter)
        try:
            return await coming
        except asyncio.CancelledError:
            if waiter in self._waiters:
                self._waiters.remove(waiter)
            raise
