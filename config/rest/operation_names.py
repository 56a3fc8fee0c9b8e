"""The name of each endpoint in the OpenAPI description, and so in clients made from it.

A name is for good, like a path: programs call it. They stand in one list so that no two are alike
and a changed one is seen.
"""

OPERATION_NAMES = {
    # Questions
    "POST /agent/query": "ask",
    "POST /agents/{agent_id}/query": "ask_agent",
    # Agents
    "GET /agents": "list_agents",
    "POST /agents": "create_agent",
    "GET /agents/{agent_id}": "get_agent",
    "PUT /agents/{agent_id}": "change_agent",
    "DELETE /agents/{agent_id}": "delete_agent",
    "GET /agents/{agent_id}/sources": "list_sources_of_agent",
    "PUT /agents/{agent_id}/sources": "choose_sources_of_agent",
    # Channels
    "GET /agents/{agent_id}/channels": "list_channels",
    "PUT /agents/{agent_id}/channels/{channel_type}": "connect_channel",
    "DELETE /agents/{agent_id}/channels/{channel_type}": "disconnect_channel",
    # Sources
    "GET /ingest/sources": "list_sources",
    "POST /ingest/sources": "create_source",
    "POST /ingest/sources/upload": "upload_file",
    "PUT /ingest/sources/{source_id}/file": "replace_file",
    "POST /ingest/sources/preflight": "check_website",
    "PATCH /ingest/sources/reorder": "reorder_sources",
    "PATCH /ingest/sources/{source_id}": "rename_source",
    "DELETE /ingest/sources/{source_id}": "delete_source",
    "POST /ingest/sources/{source_id}/sync": "sync_source",
    "GET /ingest/sources/{source_id}/status": "get_source_status",
    "GET /ingest/sources/{source_id}/preview": "preview_source",
    "GET /ingest/sources/{source_id}/history": "list_source_history",
    "GET /ingest/sources/{source_id}/schedule": "get_source_schedule",
    "PUT /ingest/sources/{source_id}/schedule": "set_source_schedule",
    "GET /ingest/sources/{source_id}/download": "get_download_link",
    "GET /files/{token}": "download_file",
    # Logging in
    "POST /auth/signup": "sign_up",
    "POST /auth/login": "log_in",
    "POST /auth/logout": "log_out",
    "POST /auth/refresh": "refresh_tokens",
    "POST /auth/activate": "accept_invitation",
    "POST /auth/otp/send": "send_code",
    "POST /auth/otp/verify": "verify_code",
    "POST /auth/change-password": "change_password",
    "POST /auth/reset-password": "reset_password",
    "POST /auth/2fa/setup": "set_up_two_factor",
    "POST /auth/2fa/confirm": "confirm_two_factor",
    "POST /auth/2fa/disable": "disable_two_factor",
    "POST /auth/2fa/verify": "verify_two_factor",
    "GET /auth/me": "get_caller",
    "GET /auth/tenants": "list_own_workspaces",
    # Workspace
    "GET /tenants/me": "get_workspace",
    "PATCH /tenants/me": "rename_workspace",
    "GET /tenants/me/usage": "get_usage",
    "GET /tenants/me/company-profile": "get_company_profile",
    "PUT /tenants/me/company-profile": "replace_company_profile",
    "GET /tenants/me/api-tokens": "list_api_tokens",
    "POST /tenants/me/api-tokens": "create_api_token",
    "DELETE /tenants/me/api-tokens/{token_id}": "revoke_api_token",
    "GET /tenants/me/members": "list_members",
    "POST /tenants/me/members": "invite_member",
    "PATCH /tenants/me/members/{user_id}": "change_member_role",
    "DELETE /tenants/me/members/{user_id}": "remove_member",
    "DELETE /tenants/me/membership": "leave_workspace",
    # Programs
    "POST /tenants/me/mcp": "call_mcp",
    "GET /v1/models": "list_models",
    "GET /v1/models/{model}": "get_model",
    "POST /v1/chat/completions": "create_chat_completion",
    "POST /oauth/register": "register_program",
    "POST /oauth/token": "get_program_tokens",
    "POST /oauth/revoke": "revoke_program_token",
    "GET /.well-known/oauth-authorization-server": "get_authorization_server",
    "GET /.well-known/oauth-protected-resource": "get_protected_resource",
    "GET /.well-known/oauth-protected-resource/tenants/me/mcp": "get_protected_mcp",
    # Visitors
    "POST /public/agents/{agent_id}/sessions": "begin_visit",
    "POST /public/agents/{agent_id}/query": "ask_as_visitor",
    # Webhooks
    "POST /webhooks/messenger_a/{agent_id}": "receive_messenger_a",
    "GET /webhooks/messenger_b/agent/{agent_id}": "verify_messenger_b",
    "POST /webhooks/messenger_b/agent/{agent_id}": "receive_messenger_b",
    # Health
    "GET /healthz": "check_life",
    "GET /readyz": "check_readiness",
}
