"""Addresses that need no key: whether we are well, figures, and the description of the interface."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from deciban.errors import DecibanError, WrongMethod
from deciban.server.api.interface_page import interface_page
from deciban.server.api.openapi import openapi_document
from deciban.server.api.operation import JSON, answered, encode
from deciban.server.http.http_message import HttpRequest, HttpResponse
from deciban.server.server_metrics import CONTENT_TYPE

if TYPE_CHECKING:
    from deciban.server.api.http_api import HttpApi

# A page that loads nothing: not even from here.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'"


def _health(_: HttpApi, __: HttpRequest) -> HttpResponse:
    """The process answers."""
    return answered({"status": "ok"})


def _readiness(api: HttpApi, _: HttpRequest) -> HttpResponse:
    """Questions can be answered, and changes made."""
    try:
        api.reception.spaces.registry.store.version()
    except (DecibanError, OSError):
        return answered({"status": "the registry cannot be read"}, 503)
    if not api.reception.link.is_connected:
        return answered({"status": "there is no writer now"}, 503)
    return answered({"status": "ready"})


def _metrics(api: HttpApi, _: HttpRequest) -> HttpResponse:
    return HttpResponse(200, api.metrics.text(), CONTENT_TYPE)


def _document(_: HttpApi, __: HttpRequest) -> HttpResponse:
    return HttpResponse(200, encode(openapi_document()), JSON)


def _page(_: HttpApi, request: HttpRequest) -> HttpResponse:
    scheme = "https" if request.is_secure else "http"
    return HttpResponse(
        200,
        interface_page(f"{scheme}://{request.headers.get('host', 'localhost')}").encode(),
        "text/html; charset=utf-8",
        {
            "content-security-policy": POLICY,
            "x-content-type-options": "nosniff",
            "referrer-policy": "no-referrer",
        },
    )


Page = Callable[["HttpApi", HttpRequest], HttpResponse]


def _got(page: Page) -> Page:
    def answer(api: HttpApi, request: HttpRequest) -> HttpResponse:
        if request.method not in ("GET", "HEAD"):
            raise WrongMethod("This address takes GET.")
        return page(api, request)

    return answer


PAGES: dict[bytes, Page] = {
    b"/": _got(_page),
    b"/healthz": _got(_health),
    b"/readyz": _got(_readiness),
    b"/metrics": _got(_metrics),
    b"/openapi.json": _got(_document),
}
