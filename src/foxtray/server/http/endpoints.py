"""Every address of the API."""

from foxtray.server.http import account_api, admin_api, api

ENDPOINTS = (*api.ENDPOINTS, *account_api.ENDPOINTS, *admin_api.ENDPOINTS)
