"""Every address of the API."""

from foxtray.server.http import account_api, admin_api, api, coach_api, daily_api, match_api

ENDPOINTS = (
    *api.ENDPOINTS,
    *daily_api.ENDPOINTS,
    *match_api.ENDPOINTS,
    *account_api.ENDPOINTS,
    *admin_api.ENDPOINTS,
    *coach_api.ENDPOINTS,
)
