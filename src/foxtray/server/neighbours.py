"""What a server does when it hears of others on the same store."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine

import structlog

from foxtray.errors import FoxtrayError
from foxtray.server.http.live import Live
from foxtray.server.http.services import Services
from foxtray.server.registration import MARK
from foxtray.server.store import News

log = structlog.get_logger()


class Neighbours:
    """Follows the news of other servers, and makes up for those that were missed."""

    def __init__(self, services: Services, live: Live) -> None:
        self._services = services
        self._live = live
        self._tasks: dict[asyncio.Task[None], None] = {}
        services.store.hear(self.heard, self.missed)

    def heard(self, news: News) -> None:
        services, subject = self._services, news.subject
        match news.kind:
            case "table":
                services.registry.claimed(subject, int(news.detail))
            case "renamed":
                services.players.forget(subject)
                self._do(services.registry.renamed(subject))
            case "changed":
                services.players.forget(subject)
            case "expelled":
                services.players.forget(subject)
                self._live.expel(subject, news.detail or None)
            case "mark":
                if subject == MARK:
                    services.door.forget()

    def missed(self) -> None:
        """News may have been lost: nothing that was known only by them is believed any more."""
        self._services.players.forget_all()
        self._services.door.forget()
        self._do(self._services.registry.revalidate())
        self._do(self._live.revalidate())

    def _do(self, work: Coroutine[object, object, None]) -> None:
        async def safely() -> None:
            try:
                await work
            except FoxtrayError as error:  # it is done when the store can be reached again
                log.warning("news_not_followed", cause=str(error))

        task = asyncio.create_task(safely())
        self._tasks[task] = None
        task.add_done_callback(self._tasks.pop)

    async def close(self) -> None:
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
